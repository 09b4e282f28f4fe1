const MAX_BYTES = 1024;
const HOME = '/';

/** Control characters, white space and backslashes, which parsers drop or read as other characters. */
const TREACHEROUS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff\\]/;

/** The same characters percent-encoded, in case something decodes the path once more. */
const TREACHEROUS_ENCODED = /%(?:[01][0-9a-f]|7f|5c)/i;

/** Two slashes at the start, which name another host. */
const NAMES_A_HOST = /^(?:\/|%2f){2}/i;

/** Routes to which a sign-in must not return, because they begin another sign-in or sign out. */
const SIGN_IN_ROUTE = /\/(?:api|v1)\/auth(?:\/|$)/i;

/**
 * The path to return to after sign-in: `value`, as a URL parser writes it, when it is a safe path of this origin; otherwise `/`.
 *
 * At most 1024 bytes, because it is part of the `state` parameter.
 *
 * @see spec "Family B flow": the user returns to the same relative path
 */
export function safeReturnPath(value: string | undefined): string {
  if (value === undefined || !value.startsWith('/') || TREACHEROUS.test(value) || TREACHEROUS_ENCODED.test(value))
    return HOME;
  if (NAMES_A_HOST.test(value) || !URL.canParse(value, 'http://origin.invalid')) return HOME;
  const url = new URL(value, 'http://origin.invalid');
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Only the parsed form of `/.//evil` and `/x/..//evil` begins with two slashes.
  if (url.origin !== 'http://origin.invalid' || NAMES_A_HOST.test(path) || SIGN_IN_ROUTE.test(url.pathname))
    return HOME;
  return path.length > MAX_BYTES ? HOME : path;
}
