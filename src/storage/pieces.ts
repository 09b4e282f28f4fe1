import type { Readable } from 'node:stream';

const FIRST_ROOM_BYTES = 65_536;

export type Piece = { readonly bytes: Buffer; readonly isLast: boolean };

/** Cuts a body into pieces of `bytes` bytes. The last piece may be shorter, and is empty for an empty body. */
export async function* piecesOf(body: Readable, bytes: number): AsyncGenerator<Piece, void, void> {
  let room: Buffer = Buffer.alloc(0);
  let held = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (let left = chunk; left.length > 0;) {
      if (held === bytes) {
        yield { bytes: room, isLast: false };
        [room, held] = [Buffer.alloc(0), 0];
      }
      const taken = left.subarray(0, bytes - held);
      if (held + taken.length > room.length) room = largerRoom(room.subarray(0, held), held + taken.length, bytes);
      held += taken.copy(room, held);
      left = left.subarray(taken.length);
    }
  }
  yield { bytes: room.subarray(0, held), isLast: true };
}

/** Chunks are copied at once, because a client may send them so small that each takes a hundred times its bytes. */
function largerRoom(held: Buffer, neededBytes: number, maxBytes: number): Buffer {
  const room = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(FIRST_ROOM_BYTES, neededBytes, 2 * held.length)));
  held.copy(room);
  return room;
}
