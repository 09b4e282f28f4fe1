/** Rules for the addresses of a configuration. Each gives what is wrong, or undefined. */

const NUMERIC_LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;
/** What a URL parser would turn into a numeric host must be written as one: `127.1` and full-width digits are refused. */
const HOST = /^[a-z][a-z0-9+.-]*:\/\/(\[[0-9a-f:]+\]|[^/?#:]*)/i;

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** HTTPS, or HTTP on a numeric loopback address; nothing beside scheme, host and port. */
export function publicOriginFault(text: string): string | undefined {
  const fault = safeUrlFault(text);
  if (fault !== undefined) return fault;
  if (!/^https?:\/\/[^/?#]+$/i.test(text)) return 'must be scheme, host and port alone: no path, query or fragment, and no slash at the end';
  return undefined;
}

/** HTTPS, or HTTP on a numeric loopback address; a path is fine, credentials, query and fragment are not. */
export function safeUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be a URL such as `https://files.example.com`';
  if (url.username !== '' || url.password !== '' || text.includes('@')) return 'must not hold credentials';
  if (text.includes('?') || text.includes('#')) return 'must have no query and no fragment';
  const host = HOST.exec(text)?.[1] ?? '';
  if (url.protocol === 'http:' && !(NUMERIC_LOOPBACK.test(host) && url.hostname === host)) {
    return 'must be HTTPS; plain HTTP is for a numeric loopback address such as `http://127.0.0.1:8080`';
  }
  return undefined;
}

/** An HTTP or HTTPS URL without credentials; for endpoints that this service talks to. */
export function endpointFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an `http://` or `https://` URL';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  return undefined;
}
