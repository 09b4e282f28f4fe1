import { useEffect, useMemo, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Entry, FileEntry } from '../objects/entry.ts';
import { previewKindOf } from '../preview/preview-kind.ts';
import { FROM_FOLDER, type FolderUrl } from './use-folder-url.ts';
import type { Listing } from './use-listing.ts';

/** The next page of the listing is loaded when fewer than this number of rows are left after the shown object. */
const AHEAD = 20;

type Options = {
  readonly url: Pick<FolderUrl, 'object' | 'isFull' | 'setObject' | 'setFull'>;
  readonly listing: Listing;
  readonly active: number;
  readonly moveTo: (index: number) => void;
  readonly onClosed: () => void;
};

export type ViewerState = {
  readonly files: readonly FileEntry[];
  readonly close: () => void;
};

/** Whether an object can be shown in full screen, judged by its name. */
export function canFill(entry: Entry): entry is FileEntry {
  return (
    entry.kind === 'file' && entry.deleted !== true && entry.size > 0 && previewKindOf(entry.key, '') !== undefined
  );
}

/** Keeps the folder in step with the full-screen viewer: it moves the current row to the shown object, loads further rows, and returns to the folder on close. */
export function useViewer({
  url: { object, isFull, setObject },
  listing,
  active,
  moveTo,
  onClosed,
}: Options): ViewerState {
  const { rows, complete, loading, loadMore } = listing;
  const state: unknown = useLocation().state;
  const navigate = useNavigate();
  const files = useMemo(
    () => rows.filter((row): row is FileEntry => row.kind === 'file' && row.deleted !== true),
    [rows],
  );

  const index = isFull ? rows.findIndex(({ key }) => key === object) : -1;
  useEffect(() => {
    if (index !== -1 && index !== active) moveTo(index);
    if (isFull && !complete && !loading && index >= rows.length - AHEAD) loadMore();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a change of the shown object moves the current row
  }, [index, rows.length, loading]);

  const openObject = useRef<string>(undefined);
  useEffect(() => {
    const last = openObject.current;
    openObject.current = isFull ? object : undefined;
    if (last === undefined || isFull) return;
    // If the details of another object were open before, show those of the last viewed object.
    if (object !== undefined && object !== last) setObject(last, true);
    onClosed();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it runs only when the viewer opens or closes
  }, [isFull, object]);

  return { files, close: () => (state === FROM_FOLDER ? void navigate(-1) : setObject(object, true)) };
}
