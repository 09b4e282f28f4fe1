import { afterPrefix, compareKeys } from '../../src/policy/index/key-order.ts';
import type { Answer, Asked } from './told-storage.ts';

const AT_MOST = 1_000;

/** An object that a storage is told to have; its size is the length of its key unless said. */
export type Kept = { readonly key: string; readonly size?: number; readonly lastModified?: string };

/** Answers listings as S3 does, from keys that are in listing order. `pageSize` makes the pages of few keys short. */
export function listingOf(keys: readonly (string | Kept)[], pageSize = AT_MOST): (request: Asked) => Answer {
  const objects = keys
    .map((key) => (typeof key === 'string' ? { key } : key))
    .toSorted((a, b) => compareKeys(a.key, b.key));
  return ({ query }) => {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    let low = indexBehind(objects, after);
    if (compareKeys(after, prefix) < 0)
      low = indexBehind(objects, prefix) - (objects[indexBehind(objects, prefix) - 1]?.key === prefix ? 1 : 0);
    const end = indexBehind(objects, afterPrefix(prefix));
    const stop = Math.min(low + Math.min(pageSize, Number(query.get('max-keys') ?? AT_MOST)), Math.max(low, end));
    const contents = objects
      .slice(low, stop)
      .map(
        ({ key, size = key.length, lastModified = '2025-01-01T00:00:00.000Z' }) =>
          `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${lastModified}</LastModified><ETag>&quot;e&quot;</ETag><Size>${size}</Size></Contents>`,
      );
    return {
      body: `<ListBucketResult><IsTruncated>${stop < end}</IsTruncated><EncodingType>url</EncodingType>${stop < end ? `<NextContinuationToken>${encodeURIComponent(objects[stop - 1]?.key ?? '')}</NextContinuationToken>` : ''}${contents.join('')}</ListBucketResult>`,
    };
  };
}

function indexBehind(objects: readonly Kept[], position: string): number {
  let [low, high] = [0, objects.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(objects[middle]!.key, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
