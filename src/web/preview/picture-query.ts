import { queryOptions } from '@tanstack/react-query';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { readWhole } from './object-bytes.ts';
import { mayTakeLong } from './slow-picture.ts';

/** The page keeps a picture in memory, and looks through it. */
export const MOST_PICTURE_BYTES = 200_000_000;
/** As a document or as an SVG it could run scripts. The browser finds out by itself which picture it is. */
const TYPE = 'image/png';

/** `pixels` is undefined when the page may stand still while it draws the picture, and 0 when it is no picture. */
export type Picture = { readonly bytes: Blob; readonly pixels: number | undefined };

/** The query for a picture and its size, which is found out without drawing it; null for one that is too large. */
export function pictureQuery({ provider, bucket, key }: ObjectRef, { etag }: ObjectHead) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({
    queryKey: ['picture', object, etag],
    queryFn: async ({ signal }): Promise<Picture | null> => {
      const bytes = await readWhole(object, { most: MOST_PICTURE_BYTES, type: TYPE }, signal);
      if (bytes === null) return null;
      const isSlow = await mayTakeLong(new Uint8Array(await bytes.arrayBuffer()));
      return { bytes, pixels: isSlow ? undefined : await pixelsOf(bytes) };
    },
    staleTime: Infinity,
    gcTime: 0,
  });
}

async function pixelsOf(bytes: Blob): Promise<number> {
  const url = URL.createObjectURL(bytes);
  const image = new Image();
  await new Promise((resolve) => {
    image.onload = resolve;
    image.onerror = resolve;
    image.src = url;
  });
  URL.revokeObjectURL(url);
  return image.naturalWidth * image.naturalHeight;
}
