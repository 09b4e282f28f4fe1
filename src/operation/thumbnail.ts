import { Readable } from 'node:stream';
import { personIdOf } from '../access/caller.ts';
import { SvcError } from '../errors/svc-error.ts';
import { getObject, headObject } from '../storage/object-read.ts';
import { operation } from './operation.ts';

/** A thumbnail shows the content, so it needs the permission to read the content. Policy is asked even when the thumbnail is cached. */
export const readThumbnail = operation({
  name: 'object/thumbnail',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) =>
      [{ action: 'objects:get', resource: at.object(provider, bucket, key) }] as const,
  },
  run: async ({ targets: [target], input: { ifNoneMatch }, storage, services: { thumbnails }, caller, signal }) => {
    if (thumbnails === undefined) throw new SvcError('not_supported', { detail: 'thumbnails are turned off here' });
    const object = storage.open(target);
    const { headers } = await headObject(object, { signal });
    const { etag = '', 'last-modified': lastModified = '', 'content-length': size = '0' } = headers;
    const source = {
      provider: target.provider,
      bucket: target.bucket,
      key: target.key,
      etag,
      lastModified,
      size: Number(size),
    };
    const version = `"${thumbnails.nameOf(source)}"`;
    if (names(ifNoneMatch, version)) return { status: 304 as const, headers: { etag: version }, body: undefined };
    const open = async (left: AbortSignal) =>
      (await getObject(object, { signal: left, ifMatch: etag || undefined })).body ?? Readable.from([]);
    const picture = await thumbnails.of(source, open, { person: personIdOf(caller), signal });
    return {
      status: 200 as const,
      headers: { etag: version, 'content-length': String(picture.length) },
      body: picture,
    };
  },
});

/** Whether the header `If-None-Match` names the version. */
function names(header: string | undefined, version: string): boolean {
  return header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === version) === true;
}
