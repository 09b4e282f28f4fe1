import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** The form that a screen of ours posted. The listener has let the request in, so its length is the page's own. */
export async function formOf(req: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await text(req));
}
