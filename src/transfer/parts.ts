/** Divides files into requests. */

const MIB = 1024 * 1024;
const SMALLEST_PART_BYTES = 8 * MIB;
const LARGEST_USUAL_PART_BYTES = 64 * MIB;
const USUAL_PARTS = 1_000;
const MOST_PARTS = 10_000;

/** Files up to this size are sent in one request. */
export const SINGLE_REQUEST_MAX_BYTES = 16 * MIB;

/** Parts of a stream of unknown length, all of the same size, because some storage joins no others: 156 GiB in 10,000 parts. */
export const STREAM_PART_BYTES = SINGLE_REQUEST_MAX_BYTES;
export const STREAM_MAX_BYTES = MOST_PARTS * STREAM_PART_BYTES;

/** A part of a file: the bytes from `start` to before `end`. `number` counts from 1. */
export type PlannedPart = { readonly number: number; readonly start: number; readonly end: number };

/**
 * The size of a file's parts: whole MiB from 8 to 64, so that a proxy that allows requests of 100 MB accepts them. Only a file larger than 10,000 parts of 64
 * MiB, about 625 GiB, gets larger parts.
 */
export function partBytesFor(fileBytes: number): number {
  const usual = Math.min(wholeMib(fileBytes / USUAL_PARTS), LARGEST_USUAL_PART_BYTES);
  return Math.max(SMALLEST_PART_BYTES, usual, wholeMib(fileBytes / MOST_PARTS));
}

/**
 * Divides a file into parts of `partBytes`; the last one may be smaller.
 *
 * @example
 * planParts(20, 8)
 * // [{ number: 1, start: 0, end: 8 }, { number: 2, start: 8, end: 16 }, { number: 3, start: 16, end: 20 }]
 */
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
