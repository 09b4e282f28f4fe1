import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { UNSIGNED_PAYLOAD } from '../../sigv4/sigv4.ts';

/** Larger bodies are not hashed, because that would delay other requests. */
const MAX_HASHED_BYTES = 1_048_576;
/** The size of the slices in which a body is sent. As much may wait for the network. */
export const SLICE_BYTES = 262_144;
const EMPTY_HASH = hash('sha256', '', 'hex');

/** Sends a large body in slices, because undici counts the time without headers from the last slice that the network took. */
export function wireBodyOf(body: Buffer | Readable | undefined): Buffer | Readable | null {
  if (!Buffer.isBuffer(body) || body.length <= SLICE_BYTES) return body ?? null;
  return Readable.from(
    Array.from({ length: Math.ceil(body.length / SLICE_BYTES) }, (_, i) =>
      body.subarray(i * SLICE_BYTES, (i + 1) * SLICE_BYTES),
    ),
    { highWaterMark: 1 },
  );
}

/** The hash with which a body is signed. */
export function payloadHashOf(body: Buffer | Readable | undefined): string {
  if (body === undefined) return EMPTY_HASH;
  return Buffer.isBuffer(body) && body.length <= MAX_HASHED_BYTES ? hash('sha256', body, 'hex') : UNSIGNED_PAYLOAD;
}
