import type { Connection } from '../../client/connection.ts';
import type { KnownObject } from '../../client/download.ts';
import { objectHead } from '../../client/object-head.ts';
import { quotedEtag } from '../../client/transfer-request.ts';
import { mayBeCopy } from '../../transfer/plain-etag.ts';
import { changeOnce, withRetries } from '../../transfer/retry.ts';
import type { KeyPath } from '../argument/remote-path.ts';
import type { CopyTask } from './copy-task.ts';
import { isThere } from './listing.ts';

type RemoteCopy = CopyTask & { readonly kind: 'copy' };

/** Copies or moves an object within the service, once, also when the answer is lost or a proxy sends the request again. */
export async function copyRemote(connection: Connection, task: RemoteCopy, move: boolean): Promise<void> {
  const { from, to, etag, over } = task;
  const copy = () =>
    connection.call('object/copy', {
      ...placeOf(from),
      to: { ...to },
      move,
      ...(etag !== undefined && { sourceIfMatch: quotedEtag(etag) }),
      ...(over === null && { ifNoneMatch: '*' }),
      ...(typeof over === 'string' && { ifMatch: quotedEtag(over) }),
    });
  const source = move
    ? (task.known ?? (await withRetries(() => objectHead(connection, placeOf(from)), connection)))
    : undefined;
  await changeOnce(
    copy,
    async (code, attempt) =>
      move
        ? code === 'not_found' && source !== undefined && (await isMoved(connection, source, to, attempt))
        : code === 'precondition_failed' && (await isCopied(connection, task)),
    connection,
  );
}

/** Whether a source that is no longer there is at the target. Where the caller may not look, a later try believes it of the one before. */
async function isMoved(connection: Connection, source: KnownObject, to: KeyPath, attempt: number): Promise<boolean> {
  const target = await objectHead(connection, placeOf(to));
  if (target === undefined) return attempt > 1 && (await isThere(connection, to)) === undefined;
  // The copy of an object that storage encrypts may have another ETag.
  return mayBeCopy(target, source) || (attempt > 1 && target.size === source.size);
}

/** Whether source and target have the same content, as far as their ETags tell. */
async function isCopied(connection: Connection, { from, to }: RemoteCopy): Promise<boolean> {
  const [source, target] = await Promise.all([from, to].map((place) => objectHead(connection, placeOf(place))));
  return source !== undefined && source.etag === target?.etag && source.size === target.size;
}

/** Without whatever else stands beside the place. */
function placeOf({ provider, bucket, key }: KeyPath): KeyPath {
  return { provider, bucket, key };
}
