/** Compared as text, because a URL parser turns `127.1`, `2130706433` and full-width digits into `127.0.0.1`. */
const LOOPBACK_REDIRECT = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9][0-9]{0,4})\/callback$/;

const MAX_PORT = 65_535;

/**
 * Whether a desktop client may be redirected there: `http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as text.
 *
 * @see spec "Endpoints", Family B, desktop authorize; RFC 8252 section 7.3
 */
export function isLoopbackRedirect(redirectUri: string): boolean {
  const port = LOOPBACK_REDIRECT.exec(redirectUri)?.[1];
  return port !== undefined && Number(port) <= MAX_PORT;
}

/** Whether the host is a numeric loopback address, so that plain HTTP stays on the machine. */
export function isNumericLoopback(url: URL): boolean {
  return url.hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(url.hostname);
}
