import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

let turn: Promise<void> | undefined;

/** Resolves at the end of this turn of the event loop, for all who wait for it together. */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

/**
 * Sends a small body after its head. Most clients have it at once. The answers of one turn of the event loop are sent together at its end: between two of them a
 * client on the same machine would fall asleep, and to wake it takes the kernel up to a third of the time of a small answer.
 *
 * @returns false when the client disconnected before the end.
 */
export function sendBytes(
  res: ServerResponse,
  bytes: Buffer | string | undefined,
  sendHead: () => void,
): Promise<boolean> {
  return endOfTurn().then(() => {
    if (res.destroyed) return false;
    sendHead();
    res.end(bytes);
    if (res.socket !== null && res.writableLength === 0) return true;
    return new Promise((resolve) => void res.once('close', () => resolve(res.writableFinished)));
  });
}

/**
 * Cuts an answer off, so that the client notices that it is incomplete. To a client of HTTP/1.0, the end of the connection is also the end of an answer without
 * a length, so its connection is reset. Many proxies ask like this.
 */
export function cutOff(res: ServerResponse): void {
  // A socket of Unix has no address, and cannot be reset.
  if (res.req.httpVersion === '1.0' && res.socket?.remoteAddress !== undefined) res.socket.resetAndDestroy();
  res.destroy();
}

/**
 * Sends a stream after its head, as fast as the client takes it. `stream.pipeline` would do the same, but costs more than the rest of a small answer.
 *
 * @returns false when the client disconnected before the end. @throws what the stream failed with, before the head is sent when it had failed by then.
 */
export async function sendStream(res: ServerResponse, stream: Readable, sendHead: () => void): Promise<boolean> {
  // A stream that has already failed does not emit its error again.
  if (stream.errored) throw stream.errored;
  sendHead();
  return new Promise((resolve, reject) => {
    // Cuts the answer off, so that the client notices that it is incomplete.
    stream.once('error', (error) => {
      reject(error);
      cutOff(res);
    });
    // A client that disconnects is not an error.
    const close = (): void => {
      stream.destroy();
      resolve(res.writableFinished);
    };
    if (res.destroyed) {
      close();
      return;
    }
    res.once('close', close);
    stream.pipe(res);
  });
}
