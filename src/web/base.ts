/** The base URL of the service, from the document's base: the origin, or a path under which a proxy serves it. */
const base = new URL('.', document.baseURI);

/** The path of the home page, with a final slash. */
export const basePath = base.pathname;

/** The base path for the router, without a final slash. */
export const basename = base.pathname.replace(/\/$/, '') || '/';

/** The service answers this route with the page when it could not confirm a sign-out. */
export const SIGN_OUT_PATH = '/api/auth/logout';

/** The path of a route of the service on this origin. @param path - without a leading slash, such as `api/auth/me`. */
export function servicePath(path: string): string {
  return base.pathname + path;
}

/** The path and query of the current page with the base path, to return to after signing in. */
export function currentPath(): string {
  return window.location.pathname + window.location.search;
}

/** The URL that starts a sign-in. @param returnTo - a path on this origin with the base path. */
export function signInUrl(returnTo: string): string {
  return servicePath(`api/auth/login?return_to=${encodeURIComponent(returnTo)}`);
}
