import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createdFolder } from '../actions/created-folder.ts';
import type { Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';

/** Shows the row of a folder that the user has just created here, once it is listed. */
export function useCreatedFolder(
  { provider, bucket, prefix }: Place,
  rows: readonly Entry[],
  show: (index: number) => void,
): void {
  const created = useStore(createdFolder);
  useEffect(() => {
    if (created === undefined || created.provider !== provider || created.bucket !== bucket) return;
    const index = rows.findIndex(({ key }) => key === created.prefix);
    if (index === -1) return;
    createdFolder.setState(undefined, true);
    show(index);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `show` is a new function on each render
  }, [created, provider, bucket, rows]);
  useEffect(() => () => createdFolder.setState(undefined, true), [provider, bucket, prefix]);
}
