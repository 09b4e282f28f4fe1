/** Where the service is hosted, as the document's base says: `/`, or the path below which a proxy shows it. */
const base = new URL('.', document.baseURI);

/** Path of the home page, with a slash at the end. */
export const basePath = base.pathname;

/** For the router: without the slash at the end. */
export const basename = base.pathname.replace(/\/$/, '') || '/';

/** A route of the service, as a path on this origin. @param path - without a slash at the start, such as `api/auth/me`. */
export function servicePath(path: string): string {
  return base.pathname + path;
}

/** The current page, base included, for coming back to it after signing in. */
export function currentPath(): string {
  return window.location.pathname + window.location.search;
}

/** Where signing in begins. @param returnTo - a path on this origin, base included. */
export function signInUrl(returnTo: string): string {
  return servicePath(`api/auth/login?return_to=${encodeURIComponent(returnTo)}`);
}
