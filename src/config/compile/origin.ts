/** Rules for addresses in a configuration. Each function returns what is wrong, or undefined. It never repeats the address, which may contain credentials. */

const NUMERIC_LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Scheme, host and port as text. */
const WRITTEN = /^https?:\/\/(\[[0-9a-f:.]+\]|[^/?#:@[\]]+)(?::\d{1,5})?(?=[/?#]|$)/i;
/** Characters that a URL parser would remove or change silently. */
const ODD = /[^\x21-\x7e]|\\/;

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Requires HTTPS, or HTTP on a numeric loopback address, and nothing but scheme, host and port. */
export function publicOriginFault(text: string): string | undefined {
  return safeUrlFault(text) ?? pathFault(text);
}

/** Requires HTTP or HTTPS, and nothing but scheme, host and port. */
export function originFault(text: string): string | undefined {
  return addressFault(text) ?? pathFault(text);
}

/** Requires HTTPS, or HTTP on a numeric loopback address. A path is allowed; credentials, query and fragment are not. */
export function safeUrlFault(text: string): string | undefined {
  return (
    addressFault(text) ??
    (isHttps(text) || isNumericLoopback(text)
      ? undefined
      : 'must be HTTPS; plain HTTP is for a numeric loopback address such as `http://127.0.0.1:8080`')
  );
}

/** Requires HTTPS, or HTTP on loopback, as an address or `localhost`. Credentials, query and fragment are refused. */
export function issuerFault(text: string): string | undefined {
  const local = () => isNumericLoopback(text) || hostOf(text).toLowerCase() === 'localhost';
  return (
    addressFault(text) ??
    (text.includes('/.well-known/')
      ? 'is the address of the discovery document; leave out `/.well-known/openid-configuration`'
      : undefined) ??
    (isHttps(text) || local() ? undefined : 'must be HTTPS; plain HTTP is for loopback alone')
  );
}

/** Requires HTTP or HTTPS, without credentials, query and fragment, and a path to which others can be added; for endpoints of storage. */
export function endpointFault(text: string): string | undefined {
  return addressFault(text) ?? (/\/\/.*\/\//.test(text) ? 'must have no empty segment in its path' : undefined);
}

function pathFault(text: string): string | undefined {
  const hasPath = text.replace(/^https?:\/\//i, '').includes('/');
  return hasPath ? 'must be scheme, host and port alone: no path, and no slash at the end' : undefined;
}

/** Requires HTTP or HTTPS, without credentials, query and fragment. */
export function addressFault(text: string): string | undefined {
  if (ODD.test(text))
    return 'must be written in plain ASCII, without spaces and backslashes; write an international name in its `xn--` form';
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'must not hold credentials';
  if (!WRITTEN.test(text) || !URL.canParse(text)) return 'must be a URL such as `https://files.example.com`';
  if (text.includes('?') || text.includes('#')) return 'must have no query and no fragment';
  return undefined;
}

function isHttps(text: string): boolean {
  return /^https:/i.test(text);
}

function hostOf(text: string): string {
  return WRITTEN.exec(text)?.[1] ?? '';
}

/** Compared as text, because a URL parser turns `127.1` and `2130706433` into `127.0.0.1`. */
function isNumericLoopback(text: string): boolean {
  const host = hostOf(text);
  return NUMERIC_LOOPBACK.test(host) && new URL(text).hostname === host;
}
