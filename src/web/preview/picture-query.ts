import { queryOptions } from '@tanstack/react-query';
import { readObject, type ObjectHead, type ObjectRef } from '../api/object-calls.ts';
import { mayTakeLong } from './slow-picture.ts';

/** A blob belongs to this origin, and could run scripts in it as a document or as an SVG. The browser finds out by itself which picture it is. */
const TYPE = 'image/png';

/** `pixels` is undefined when the page may stand still while it draws the picture, and 0 when it is no picture. */
export type Picture = { readonly bytes: Blob; readonly pixels: number | undefined };

/** The query for a picture and its size, which is found out without drawing it. */
export function pictureQuery({ provider, bucket, key }: ObjectRef, { etag }: ObjectHead) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({
    queryKey: ['picture', object, etag],
    queryFn: async ({ signal }): Promise<Picture> => {
      const bytes = new Blob([await readObject(object, signal)], { type: TYPE });
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
