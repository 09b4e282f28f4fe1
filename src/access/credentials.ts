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

const COOKIE = new RegExp(`(?:^|;)[ \\t]*${SESSION_COOKIE}=([^;]*)`, 'g');

/** The raw value of the session cookie. A request with two session cookies is refused, because one could have been planted for a wider domain or another path. */
export function sessionCookieOf(headers: IncomingHttpHeaders): string | undefined {
  if (headers.cookie === undefined) return undefined;
  COOKIE.lastIndex = 0;
  const value = COOKIE.exec(headers.cookie)?.[1];
  if (value === undefined || COOKIE.exec(headers.cookie) !== null) return undefined;
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return undefined;
  }
}
