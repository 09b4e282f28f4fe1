import type { Readable } from 'node:stream';
import type { Permitted } from '../policy/model/permitted.ts';
import { headOf, requireEtag } from './conditions.ts';
import type { ClientBody } from './incoming-body.ts';
import { storedHeadersOf } from './object-headers.ts';
import { putObject, type WriteOptions, type WrittenObject } from './object-write.ts';
import { preservedHeadersOf, tagsToKeep } from './preserved-headers.ts';
import type { ObjectRef } from './provider.ts';

type ReplaceOptions = Omit<WriteOptions, 'contentType' | 'stored' | 'ifNoneMatchAny'> & { readonly ifMatch: string };

/**
 * Writes new content to an object. The content type, the stored headers, the metadata, the tags and the storage class stay as they are.
 *
 * @throws {SvcError} like {@link putObject}; `not_found` when there is no object. Nothing is written when the tags cannot be read.
 */
export async function replaceContent(
  object: Permitted<ObjectRef>,
  body: Readable | ClientBody,
  options: ReplaceOptions,
): Promise<WrittenObject> {
  const { signal, ifMatch } = options;
  const source = await headOf(object, { signal });
  requireEtag(source, ifMatch);
  return putObject(object, body, {
    ...options,
    contentType: source['content-type'],
    stored: { ...storedHeadersOf(source), ...preservedHeadersOf(source, await tagsToKeep(object, { signal })) },
    // What is kept belongs to the version that was read.
    ifMatch: ifMatch === '*' ? (source['etag'] ?? ifMatch) : ifMatch,
  });
}
