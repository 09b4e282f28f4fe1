/** How a client cuts a file into requests. */

const MIB = 1024 * 1024;
const SMALLEST_PART_BYTES = 8 * MIB;
const LARGEST_USUAL_PART_BYTES = 64 * MIB;
const USUAL_PARTS = 1_000;
const MOST_PARTS = 10_000;

/** Files up to this many bytes travel in one request. */
export const SINGLE_REQUEST_MAX_BYTES = 16 * MIB;

/** A piece of a file: bytes `start` to `end`, `end` not included. `number` counts from 1. */
export type PlannedPart = { readonly number: number; readonly start: number; readonly end: number };

/**
 * The size of a file's parts: whole MiB from 8 to 64, so that a proxy which allows 100 MB for a request lets them through.
 *
 * Only a file that 10,000 parts of 64 MiB do not hold, about 625 GiB, gets larger ones.
 */
export function partBytesFor(fileBytes: number): number {
  const usual = Math.min(wholeMib(fileBytes / USUAL_PARTS), LARGEST_USUAL_PART_BYTES);
  return Math.max(SMALLEST_PART_BYTES, usual, wholeMib(fileBytes / MOST_PARTS));
}

export function planParts(fileBytes: number, partBytes: number): PlannedPart[] {
  const parts: PlannedPart[] = [];
  for (let start = 0; start < fileBytes; start += partBytes) {
    parts.push({ number: parts.length + 1, start, end: Math.min(start + partBytes, fileBytes) });
  }
  return parts;
}

function wholeMib(bytes: number): number {
  return Math.ceil(bytes / MIB) * MIB;
}
