/** Whether the JSON of an answer says who is signed in. Some proxies answer in place of the service, in JSON too. */
export function isSession(json: unknown): boolean {
  return typeof (json as { readonly subject?: unknown } | null)?.subject === 'string';
}
