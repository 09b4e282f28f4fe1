import { useQueries, useQueryClient } from '@tanstack/react-query';
import { headQuery } from '../api/head-query.ts';
import { archiveState } from '../api/keeping.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import type { FileEntry } from '../objects/entry.ts';
import { pictureQuery } from '../preview/picture-query.ts';
import { previewKindOf } from '../preview/preview-kind.ts';

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

/** Loads the previous and the next picture as soon as the shown one is loaded, so that they appear at once. What is left behind is not loaded on. */
export function usePicturesAhead(shown: ObjectRef, ...files: readonly (FileEntry | undefined)[]): void {
  const client = useQueryClient();
  const beside = files.flatMap((file) =>
    file !== undefined && file.size <= MOST_AHEAD_BYTES && isNamedPicture(file.key)
      ? [{ ...shown, key: file.key }]
      : [],
  );
  const objects = [shown, ...beside];
  const heads = useQueries({ queries: objects.map((object) => headQuery(object)) });
  const [first, ...others] = objects.map((object, index) => {
    const head = heads[index]?.data;
    return head !== undefined && isPicture(object.key, head) ? pictureQuery(object, head) : undefined;
  });
  const isPending =
    heads[0]?.isPending === true ||
    (first !== undefined && (client.getQueryState(first.queryKey)?.status ?? 'pending') === 'pending');
  const ahead = others.flatMap((query) => (query === undefined ? [] : [{ ...query, enabled: !isPending }]));
  useQueries({ queries: first === undefined ? ahead : [first, ...ahead] });
}
