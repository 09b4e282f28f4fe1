import type { ReadRange } from './zip-directory.ts';

const BLOCK_BYTES = 262_144;
const MOST_BLOCKS = 64;

/**
 * Reads a file in blocks and keeps each block, so that many small reads need few requests.
 *
 * The function throws a `RangeError` for reads outside of the file or beyond the maximum number of blocks.
 */
export function inBlocks(read: ReadRange, size: number, blockBytes = BLOCK_BYTES): ReadRange {
  const blocks = new Map<number, Promise<Uint8Array>>();
  const block = (number: number): Promise<Uint8Array> => {
    const found = blocks.get(number) ?? read(number * blockBytes, Math.min(size, (number + 1) * blockBytes));
    blocks.set(number, found);
    if (blocks.size > MOST_BLOCKS) throw new RangeError('too many bytes would have to be read');
    return found;
  };
  return async (from, to) => {
    if (!(from >= 0 && from < to && to <= size)) throw new RangeError('there are no such bytes');
    const first = Math.floor(from / blockBytes);
    const count = Math.floor((to - 1) / blockBytes) - first + 1;
    if (count > MOST_BLOCKS) throw new RangeError('too many bytes would have to be read');
    const bytes = new Uint8Array(to - from);
    const parts = await Promise.all(Array.from({ length: count }, (_, index) => block(first + index)));
    parts.forEach((part, index) => {
      const at = (first + index) * blockBytes - from;
      const kept = part.subarray(Math.max(0, -at), Math.min(part.length, to - from - at));
      bytes.set(kept, Math.max(0, at));
    });
    return bytes;
  };
}
