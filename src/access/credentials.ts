import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from './identify.ts';

export const SESSION_COOKIE = 'svc_session';

/** The credentials in the headers of a request. A bearer credential comes before a cookie. */
export function readCredentials(headers: IncomingHttpHeaders): Credentials {
  const bearer = bearerOf(headers);
  return bearer === undefined ? { cookie: sessionCookieOf(headers) } : { bearer };
}

/** The bearer credential, which is read from the Authorization header and nowhere else. */
export function bearerOf({ authorization: header = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer /i.test(header) ? header.slice(7).trim() : undefined;
}

/** The raw value of the session cookie. A request with two session cookies is refused, because one could have been planted for a wider domain or another path. */
export function sessionCookieOf(headers: IncomingHttpHeaders): string | undefined {
  const values = cookiesNamed(SESSION_COOKIE, headers);
  return values.length === 1 ? values[0] : undefined;
}

/** The raw values of all session cookies. */
export function sessionCookiesOf(headers: IncomingHttpHeaders): readonly string[] {
  return cookiesNamed(SESSION_COOKIE, headers).filter((value) => value !== undefined);
}

/** The values of all cookies with this name, also for a request that Express never sees, such as one that opens a socket. A value is a text, or undefined when its percent encoding is broken. */
function cookiesNamed(name: string, { cookie = '' }: IncomingHttpHeaders): readonly (string | undefined)[] {
  const start = `${name}=`;
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.map((pair) => decoded(pair.slice(start.length)));
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return undefined;
  }
}
