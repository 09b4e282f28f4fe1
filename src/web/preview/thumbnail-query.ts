import { queryOptions } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { isTransient } from '../../transfer/failure.ts';
import { endingOf } from '../../wire/kind.ts';
import { readThumbnail, type BucketRef } from '../api/object-calls.ts';
import { apiErrorOf } from '../api/api-error.ts';
import type { FileEntry } from '../objects/entry.ts';

const ENDINGS = new Set(['jpg', 'jpeg', 'png', 'webp', 'gif', 'avif', 'tif', 'tiff']);
/** The service makes no thumbnails of larger objects. */
const MOST_BYTES = 33_554_432;
const MOST_TRIES = 4;

/** Limits the number of simultaneous requests. Requests for tiles that have been scrolled out of view are not sent. */
const turns = pLimit(6);

/** Whether the service may have a thumbnail of the object. */
export function hasThumbnail({ key, size }: FileEntry): boolean {
  return ENDINGS.has(endingOf(key)) && size > 0 && size <= MOST_BYTES;
}

/** The query for the thumbnail of one version of an object. */
export function thumbnailQuery({ provider, bucket }: BucketRef, { key, etag, last_modified: modified }: FileEntry) {
  const object = { provider, bucket, key };
  return queryOptions({
    queryKey: ['thumbnail', object, etag, modified],
    queryFn: ({ signal }) =>
      turns(() => {
        signal.throwIfAborted();
        return readThumbnail(object, signal);
      }),
    staleTime: Infinity,
    retry: (failures, error) => failures < MOST_TRIES && isTransient(apiErrorOf(error)),
    retryDelay: (failures) => 1_000 * 2 ** failures,
  });
}
