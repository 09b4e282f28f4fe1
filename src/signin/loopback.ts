/** Whether it is `http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as written. */
export function isLoopbackRedirect(_redirectUri: string): boolean {
  throw new Error('not built yet');
}
