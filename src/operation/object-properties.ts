import { invalidRequest } from '../access/invalid.ts';
import { changeProperties } from '../storage/object-properties.ts';
import { replaceTags } from '../storage/preserved-headers.ts';
import { finishAfterDisconnect } from './finish-after-disconnect.ts';
import { operation } from './operation.ts';

/** Changes the content type and the custom metadata of an object, and nothing else of it. */
export const setProperties = operation({
  name: 'object/setProperties',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) => {
      const resource = at.object(provider, bucket, key);
      return [
        { action: 'objects:get', resource },
        { action: 'objects:write', resource },
      ] as const;
    },
  },
  run: async ({ targets: [, target], input: { ifMatch, contentType, metadata = [] }, storage, signal }) => {
    const changes = new Map(
      // Storage keeps bytes, each of which is a character of the text of a header.
      metadata.map(({ name, value }) => [name, value === null ? undefined : Buffer.from(value).toString('latin1')]),
    );
    const { etag, lastModified } = await finishAfterDisconnect(signal, (options) =>
      changeProperties(storage.open(target), { contentType, metadata: changes }, { ...options, ifMatch }),
    );
    return { key: target.key, etag, lastModified };
  },
});

/** Replaces the tags of an object. */
export const setTags = operation({
  name: 'object/setTags',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) =>
      [{ action: 'objects:write', resource: at.object(provider, bucket, key) }] as const,
  },
  run: async ({ targets: [target], input: { tags }, storage, signal }) => {
    if (new Set(tags.map(({ key }) => key)).size < tags.length)
      throw invalidRequest({ path: 'tags', message: 'names a tag twice' });
    await replaceTags(storage.open(target), tags, { signal });
    return { key: target.key };
  },
});
