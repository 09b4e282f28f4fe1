import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A client that sends more than this, or takes longer, after the answer to its request is cut off. */
const MAX_BYTES = 64 * 2 ** 20;
const MAX_MS = 10_000;

/**
 * Takes what is left of the body of a request that has been answered. If its connection ended now, it would be reset, and a client that is still sending would
 * lose the answer.
 */
export function takeRest(req: IncomingMessage, socket: Socket): void {
  // A client that waits to be invited sends nothing.
  if (req.complete || socket.destroyed || (req.headers.expect !== undefined && !req.readableDidRead)) return;
  const timer = setTimeout(() => socket.destroy(), MAX_MS);
  let isLast = false;
  let left = MAX_BYTES;
  // Node calls this after the answer when the connection is not kept.
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
  };
  req
    .on('data', (bytes: Buffer) => {
      left -= bytes.length;
      if (left < 0) socket.destroy();
    })
    .once('end', () => {
      Reflect.deleteProperty(socket, 'destroySoon');
      if (isLast) socket.destroySoon();
    })
    .once('close', () => clearTimeout(timer))
    .resume();
}
