import cookieParser from 'cookie-parser';
import type { Request } from 'express';
import { SvcError } from '../../errors/svc-error.ts';

export const LOGIN_COOKIE = 'svc_login';
const LOGIN_COOKIES = new RegExp(`(?:^|;)[ \\t]*${LOGIN_COOKIE}[ \\t]*=`, 'g');
const BASE64URL = /^[\w-]*$/;

/** Reads the cookies of a sign-in. Other values than ours are empty: cookie-parser would read `j:{"a":1}` as JSON, on which express-session fails. */
export const readCookies = cookieParser(undefined, { decode: (value) => (BASE64URL.test(value) ? value : '') });

/**
 * The value of the `svc_login` cookie, on a route with {@link readCookies}.
 *
 * @throws {SvcError} `login_invalid` when the request has two such cookies: one was planted for a wider domain or another path.
 */
export function loginCookieOf({ headers, cookies }: Request): string | undefined {
  if ((headers.cookie?.match(LOGIN_COOKIES)?.length ?? 0) > 1) {
    throw new SvcError('login_invalid', {
      detail: `the browser sends two \`${LOGIN_COOKIE}\` cookies, and one is not ours; delete the cookies of this site, then sign in again`,
    });
  }
  return (cookies as Readonly<Record<string, string>>)[LOGIN_COOKIE];
}
