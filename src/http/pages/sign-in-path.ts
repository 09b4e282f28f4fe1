/**
 * The address to which a page request without a session is redirected.
 *
 * @param path - the requested page, below the base path.
 */
export function signInPath(basePath: string, path: string): string {
  return `${basePath}/api/auth/login?return_to=${encodeURIComponent(path)}`;
}
