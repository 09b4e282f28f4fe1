import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** Reads the form that one of our screens posted. The bridge has admitted the request, so its length is not limited here. */
export async function formOf(req: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await text(req));
}
