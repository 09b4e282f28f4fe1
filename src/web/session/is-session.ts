/** Whether the JSON of an answer says who is signed in, and until when. Some proxies answer in place of the service, in JSON too. */
export function isSession(json: unknown): boolean {
  const { subject, expiresAt } = (json ?? {}) as { readonly subject?: unknown; readonly expiresAt?: string | null };
  return typeof subject === 'string' && (expiresAt === null || !Number.isNaN(Date.parse(expiresAt!)));
}
