import type { IncomingMessage } from 'node:http';

/** A bearer credential counts in the Authorization header and nowhere else. */
export function bearerOf(req: Pick<IncomingMessage, 'headers'>): string | undefined {
  const header = req.headers.authorization;
  if (header === undefined) return undefined;
  return /^bearer /i.test(header) ? header.slice(7).trim() : undefined;
}
