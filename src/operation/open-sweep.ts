import { permittedBeneath } from '../access/authorize.ts';
import { personIdOf } from '../access/caller.ts';
import { decodeCursor, encodeCursor } from '../storage/cursor.ts';
import { sharedLength } from '../storage/fork.ts';
import { Sweep, type SweepOptions } from '../storage/sweep.ts';
import type { LinedName, OperationInput } from '../wire/operations.ts';
import type { Performance } from './operation.ts';

/** How long a request may read, and how many things it may find. {@link SweepOptions} explains `soonMs` and `lateMs`. */
export type SweepBounds = { readonly soonMs: number; readonly lateMs: number; readonly most: number };

/** For answers in lines, which the client reads while they arrive. */
export const BOUNDS_OF_LINES: SweepBounds = { soonMs: 20_000, lateMs: 40_000, most: 10_000 };
/** For answers in pages, which the client gets only when they are complete. */
export const BOUNDS_OF_PAGE: SweepBounds = { soonMs: 1_000, lateMs: 10_000, most: 1_000 };

export type OpenSweep<D> = {
  readonly sweep: Sweep<D>;
  /** The beginning of the last key that an earlier answer reported, as much of it as the cursor contains. */
  readonly told: string;
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
 * close the sweep.
 *
 * @param question - the query that a cursor belongs to, besides the place.
 * @throws {SvcError} `invalid_request`
 */
export function openSweep<D>(
  { input, caller, storage, services, trail, signal }: Performance<OperationInput<LinedName>>,
  question: readonly unknown[],
  options: SweepOptions<D>,
): OpenSweep<D> | undefined {
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
    sweep: new Sweep(opened, { grants: caller.effective, signal, after, person }, options),
    told: after.slice(0, Number.parseInt(position)),
    seal: (next, last) => encodeCursor(opened, `${sharedLength(next, last)} ${next}`, query),
  };
}
