import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { headQuery } from '../api/head-query.ts';
import { archiveState } from '../api/keeping.ts';
import { objectUrl, type ObjectHead, type ObjectRef } from '../api/object-calls.ts';
import type { FileEntry } from '../objects/entry.ts';
import { previewKindOf } from '../preview/preview-kind.ts';
import { framesOf, MOST_FRAMES } from '../preview/use-large-picture.tsx';

/** Larger pictures are not loaded ahead. */
const MOST_AHEAD_BYTES = 20_000_000;

/** The object of which the viewer knows only the name is probably a picture. */
export function isNamedPicture(key: string): boolean {
  return previewKindOf(key, '') === 'image';
}

/** Whether an object is a picture that can be read. Of the others, the preview says why they cannot. */
export function isPicture(key: string, { type, size, keeping }: ObjectHead): boolean {
  return previewKindOf(key, type) === 'image' && size > 0 && archiveState(keeping) === undefined;
}

/** Loads the previous and the next picture into the cache of the browser, so that they appear at once. Stops with those that are left behind, for which the shown one would wait. */
export function usePicturesAhead(
  { provider, bucket, key: shown }: ObjectRef,
  ...files: readonly (FileEntry | undefined)[]
): void {
  const client = useQueryClient();
  const loads = useRef(new Map<string, AbortController>());
  const keys = files.flatMap((file) =>
    file !== undefined && file.size <= MOST_AHEAD_BYTES && isNamedPicture(file.key) ? [file.key] : [],
  );
  const text = JSON.stringify(keys);
  useEffect(() => {
    const beside = JSON.parse(text) as string[];
    for (const [key, stop] of loads.current) {
      if (key === shown || beside.includes(key)) continue;
      stop.abort();
      loads.current.delete(key);
    }
    for (const key of beside) {
      if (loads.current.has(key)) continue;
      const stop = new AbortController();
      loads.current.set(key, stop);
      const object = { provider, bucket, key };
      // The browser works on an SVG when it loads it, even without drawing it.
      const load = async (head: ObjectHead): Promise<void> => {
        const url = objectUrl(object);
        if (!isPicture(key, head) || (await framesOf(url, stop.signal)) > MOST_FRAMES || stop.signal.aborted) return;
        const image = new Image();
        image.src = url;
        stop.signal.addEventListener('abort', () => (image.src = ''));
      };
      void client.query(headQuery(object)).then(load, () => undefined);
    }
  }, [client, provider, bucket, shown, text]);
  useEffect(() => {
    const { current } = loads;
    return () => {
      for (const stop of current.values()) stop.abort();
      current.clear();
    };
  }, []);
}
