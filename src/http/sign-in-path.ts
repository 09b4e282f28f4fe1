/** Where a page request without a session goes. @param path - where it wanted to go, below the base path. */
export function signInPath(basePath: string, path: string): string {
  return `${basePath}/api/auth/login?return_to=${encodeURIComponent(path)}`;
}
