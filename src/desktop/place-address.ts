import { ClientFailure } from '../client/client-failure.ts';
import { keepsSecrets, serverAddress } from '../client/server-address.ts';

/** The meaning of `svc://SERVER/PROVIDER/BUCKET/KEY`. */
export type NamedPlace = {
  readonly server: string;
  /** A path of the UI, such as `p/main/photos?prefix=2025%2F`. */ readonly path: string;
};

/**
 * Reads the address of a place. A key that ends with `/` is a folder; any other is an object, shown in its folder.
 *
 * @throws {ClientFailure} usage
 */
export function placeOf(address: string): NamedPlace {
  const [, host, provider = '', bucket = '', rest = ''] =
    /^svc:\/\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?(?:\/(.*))?$/is.exec(address) ?? [];
  if (host === undefined)
    throw new ClientFailure(
      `\`${address}\` is no address of a place; write \`svc://SERVER/PROVIDER/BUCKET/KEY\``,
      'usage',
    );
  // An unencrypted connection is allowed on this machine only.
  const server = serverAddress(keepsSecrets(`http://${host}`) ? `http://${host}` : `https://${host}`);
  const key = decoded(rest);
  const prefix = key.slice(0, key.lastIndexOf('/') + 1);
  const query = new URLSearchParams({
    ...(prefix !== '' && { prefix }),
    ...(key !== prefix && { object: key }),
  }).toString();
  const path = [
    'p',
    ...[provider, bucket].filter((part) => part !== '').map((part) => encodeURIComponent(decoded(part))),
  ].join('/');
  return { server, path: provider === '' ? '' : path + (query === '' ? '' : `?${query}`) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
