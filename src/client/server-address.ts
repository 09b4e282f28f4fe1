import { ClientFailure } from './client-failure.ts';

/**
 * The normalised address of a service: scheme, host, port and base path, without a slash at the end.
 *
 * @throws {ClientFailure} usage: not an http or https address.
 */
export function serverAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ClientFailure(
      `\`${text}\` is not the address of a server; give it as \`https://files.example.com\``,
      'usage',
    );
  if (url.username !== '' || url.password !== '')
    throw new ClientFailure(
      'an address holds no user name or password; sign in with `svc login`, or give an API key with `SVC_CREDENTIAL`',
      'usage',
    );
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether a credential may be sent there: the connection is encrypted, or stays on this machine. */
export function keepsSecrets(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return (
    protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
