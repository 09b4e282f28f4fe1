import { permittedBeneath } from '../access/authorize.ts';
import { personIdOf } from '../access/caller.ts';
import { decodeCursor, encodeCursor } from '../storage/cursor.ts';
import { sharedLength } from '../storage/split-point.ts';
import { Scan, type ScanOptions } from '../storage/scan.ts';
import type { OperationInput } from '../wire/operations.ts';
import type { Performance } from './operation.ts';

/** How long a request may read, and how many things it may find. {@link ScanOptions} explains `softLimitMs` and `hardLimitMs`. */
export type ScanBounds = { readonly softLimitMs: number; readonly hardLimitMs: number; readonly most: number };

/** For answers in lines, which the client reads while they arrive. */
export const BOUNDS_OF_LINES: ScanBounds = { softLimitMs: 20_000, hardLimitMs: 40_000, most: 10_000 };
/** For answers in pages, which the client gets only when they are complete. */
export const BOUNDS_OF_PAGE: ScanBounds = { softLimitMs: 1_000, hardLimitMs: 10_000, most: 1_000 };

export type OpenScan<D> = {
  readonly scan: Scan<D>;
  /** The beginning of the last key that an earlier answer reported, as much of it as the cursor contains. */
  readonly lastReported: string;
  /**
   * Makes a cursor.
   *
   * @param after - the position.
   * @param last - the last key that was reported.
   */
  readonly seal: (after: string, last: string) => string;
};

/**
 * Begins to read the keys beneath a prefix for a caller; undefined when they may list none, and then storage is not asked. The caller of this function has to
 * close the scan.
 *
 * @param question - the query that a cursor belongs to, besides the place.
 * @throws {SvcError} `invalid_request`
 */
export function openScan<D>(
  {
    input,
    caller,
    storage,
    services,
    trail,
    signal,
    hold,
  }: Performance<OperationInput<'object/search' | 'object/size'>>,
  question: readonly unknown[],
  options: ScanOptions<D>,
): OpenScan<D> | undefined {
  const { bucket, prefix = '', cursor } = input;
  const place = permittedBeneath(caller, 'objects:list', services.targets.beneath(input.provider, bucket, prefix));
  if (place === undefined) return undefined;
  trail.about({ provider: input.provider, bucket, prefix });
  const opened = storage.open(place);
  const query = { question: JSON.stringify(question) };
  const position = cursor === undefined ? '0 ' : decodeCursor(opened, cursor, query);
  const after = position.slice(position.indexOf(' ') + 1);
  const person = personIdOf(caller);
  return {
    scan: new Scan(opened, { grants: caller.effective, signal, hold, after, person }, options),
    lastReported: after.slice(0, Number.parseInt(position)),
    seal: (next, last) => encodeCursor(opened, `${sharedLength(next, last)} ${next}`, query),
  };
}
