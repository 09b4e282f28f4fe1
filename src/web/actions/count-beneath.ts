import { keyPermissions } from '../api/queries.ts';
import { pagesBeneath, type Walk } from './beneath.ts';
import type { BucketRef } from '../api/object-calls.ts';

export type Count = {
  readonly items: number;
  readonly bytes: number;
  /** The number of items that the user may see but not delete. */
  readonly kept: number;
};

export const NOTHING: Count = { items: 0, bytes: 0, kept: 0 };

/** Counts the objects beneath prefixes that the user may list, without folder markers. Yields the sum so far after each page of a listing. */
export async function* countBeneath(bucket: BucketRef, prefixes: readonly string[], walk: Walk): AsyncGenerator<Count> {
  let { items, bytes, kept } = NOTHING;
  for (const prefix of prefixes) {
    for await (const objects of pagesBeneath(bucket, prefix, walk)) {
      // An object without content whose key ends in `/` is a folder marker.
      const inside = objects.filter(({ key, size }) => size > 0 || !key.endsWith('/'));
      const keys = inside.map(({ key }) => key);
      const actions = keys.length === 0 ? {} : await walk.attempt(() => keyPermissions(bucket, keys, walk.signal));
      items += inside.length;
      bytes += inside.reduce((sum, { size }) => sum + size, 0);
      kept += keys.filter((key) => actions[key]?.includes('objects:delete') !== true).length;
      yield { items, bytes, kept };
    }
  }
}
