import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { headOf, requireEtag } from './conditions.ts';
import { sizeOf } from './object-copy-in-parts.ts';
import { copyObject, type CopiedObject } from './object-copy.ts';
import { storedHeadersOf } from './object-headers.ts';
import { preservedHeadersOf, tagsToKeep } from './preserved-headers.ts';
import type { Abortable, ObjectRef } from './provider.ts';

/** What changes; everything else stays. */
export type PropertyChanges = {
  readonly contentType?: string | undefined;
  /** Custom metadata by its names without `x-amz-meta-`; undefined removes a name. Each character of a value is a byte. */
  readonly metadata: ReadonlyMap<string, string | undefined>;
};

/** The largest object that storage copies onto itself in one request. */
const MAX_BYTES = 5 * 2 ** 30;
const META = 'x-amz-meta-';
/** The limit of S3 for names and values together. */
const MAX_META_BYTES = 2_048;

/**
 * Changes the content type and the custom metadata of an object, which storage copies onto itself. Headers, tags and storage class stay.
 *
 * @param options.ifMatch - the ETag of the version that changes.
 * @throws {SvcError} `precondition_failed`: it is another version now; `payload_too_large`: more than 5 GiB; `invalid_request`: more metadata than storage keeps.
 */
export async function changeProperties(
  object: Permitted<ObjectRef>,
  changes: PropertyChanges,
  options: Abortable & { readonly ifMatch: string },
): Promise<CopiedObject> {
  const { provider, bucket, key } = object;
  // An ETag does not change with the metadata, so changes take turns from the first look on. Whoever has the turn waits for the lock of the key, and nobody does
  // the reverse.
  const turn = { bucket: `properties in ${bucket}`, key };
  return provider.keyLocks.run(provider, turn, options, () => changeInTurn(object, changes, options));
}

async function changeInTurn(
  object: Permitted<ObjectRef>,
  { contentType, metadata }: PropertyChanges,
  { signal, ifMatch }: Abortable & { readonly ifMatch: string },
): Promise<CopiedObject> {
  const source = await headOf(object, { signal });
  requireEtag(source, ifMatch);
  if (sizeOf(source) > MAX_BYTES)
    throw new SvcError('payload_too_large', {
      detail:
        'the properties of an object of more than 5 GiB cannot be changed, because storage copies no more at once; upload it again with other properties',
    });
  const kept = {
    ...storedHeadersOf(source),
    ...preservedHeadersOf(source, await tagsToKeep(object, { signal })),
  };
  const named = new Map<string, string | undefined>(Object.entries(kept));
  for (const [name, value] of metadata) named.set(META + name, value);
  const stored = Object.fromEntries(
    [...named].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const bytes = Object.entries(stored)
    .filter(([name]) => name.startsWith(META))
    .reduce((sum, [name, value]) => sum + name.length - META.length + value.length, 0);
  if (bytes > MAX_META_BYTES)
    throw new SvcError('invalid_request', { detail: 'the custom metadata is more than the 2 KiB that storage keeps' });
  return copyObject(object, object, {
    signal,
    ifMatch: source['etag'],
    sourceIfMatch: source['etag'],
    replace: { contentType: contentType ?? source['content-type'], stored },
  });
}
