import { useEffect, useMemo, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Entry, FileEntry } from '../objects/entry.ts';
import { previewKindOf } from '../preview/preview-kind.ts';
import { FROM_FOLDER, type FolderUrl } from './use-folder-url.ts';
import type { Listing } from './use-listing.ts';

/** So many objects before the end of what is loaded, more is asked for. */
const AHEAD = 20;

type Options = {
  readonly url: Pick<FolderUrl, 'object' | 'isFull' | 'setObject' | 'setFull'>;
  readonly listing: Listing;
  readonly active: number;
  readonly moveTo: (index: number) => void;
  /** The viewer was closed. */
  readonly onClosed: () => void;
};

export type ViewerState = {
  readonly files: readonly FileEntry[];
  readonly close: () => void;
};

/** Whether an object can be looked at on the whole screen, as far as its name tells. */
export function canFill(entry: Entry): entry is FileEntry {
  return entry.kind === 'file' && entry.size > 0 && previewKindOf(entry.key, '') !== undefined;
}

/** The folder behind an object that fills the screen: the current row goes with it, more is loaded on the way, and it comes back as it was. */
export function useViewer({ url: { object, isFull, setObject }, listing, active, moveTo, onClosed }: Options): ViewerState {
  const { rows, complete, loading, loadMore } = listing;
  const state: unknown = useLocation().state;
  const navigate = useNavigate();
  const files = useMemo(() => rows.filter((row): row is FileEntry => row.kind === 'file'), [rows]);

  const index = isFull ? rows.findIndex(({ key }) => key === object) : -1;
  useEffect(() => {
    if (index !== -1 && index !== active) moveTo(index);
    if (isFull && !complete && !loading && index >= rows.length - AHEAD) loadMore();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only another object moves the current row
  }, [index, rows.length, loading]);

  const shown = useRef<string>(undefined);
  useEffect(() => {
    const last = shown.current;
    shown.current = isFull ? object : undefined;
    if (last === undefined || isFull) return;
    // The details that were open before are those of the object that was seen last.
    if (object !== undefined && object !== last) setObject(last, true);
    onClosed();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only opening and closing count
  }, [isFull, object]);

  return { files, close: () => (state === FROM_FOLDER ? void navigate(-1) : setObject(object, true)) };
}
