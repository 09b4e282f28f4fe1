import { useCallback, useMemo } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { Entry } from '../objects/entry.ts';
import { placeLink, type Place } from '../place/place.ts';
import { parseSort, sortText, type Sort } from './sort.ts';

export type FolderUrl = {
  readonly place: Place;
  readonly sort: Sort;
  readonly filter: string;
  /** The key of the object that is open in the details or in full screen. */
  readonly object: string | undefined;
  readonly isFull: boolean;
  readonly setSort: (sort: Sort) => void;
  readonly setFilter: (filter: string) => void;
  /** Opens the details of an object, or closes them. @param replace - whether to replace the history entry, as for moves through the rows. */
  readonly setObject: (key: string | undefined, replace?: boolean) => void;
  /** Shows the object in full screen. The state of the history entry is {@link FROM_FOLDER}. */
  readonly setFull: (key: string, replace?: boolean) => void;
};

/** The state of a history entry for an object in full screen that was opened from the folder page, so that Back leads to the folder. */
export const FROM_FOLDER = 'from folder';

/** The in-app link to a folder or an object, with the same sort order. */
export function linkInOrder(place: Place, sort: Sort, object?: string): string {
  return placeLink(place, object, sortText(sort));
}

/** The in-app link to a row: of a folder in the same order, or of a search. @param place - the folder. */
export function linkToRow({ kind, key, place: found }: Entry, place: Place, sort: Sort | undefined): string {
  const at = found ?? place;
  const order = found === undefined && sort !== undefined ? sortText(sort) : undefined;
  return kind === 'folder' ? placeLink({ ...at, prefix: key }, undefined, order) : placeLink(at, key, order);
}

/** The state of the folder page, which is stored in the URL so that it can be linked. */
export function useFolderUrl(): FolderUrl {
  const { provider = '', bucket = '' } = useParams();
  const [search, setSearch] = useSearchParams();
  const prefix = search.get('prefix') ?? '';
  const place = useMemo(() => ({ provider, bucket, prefix }), [provider, bucket, prefix]);
  const sortParameter = search.get('sort');
  const sort = useMemo(() => parseSort(sortParameter), [sortParameter]);
  const set = useCallback(
    (values: Readonly<Record<string, string | undefined>>, replace: boolean, state?: unknown) =>
      setSearch(
        (current) => {
          const next = new URLSearchParams(current);
          for (const [name, value] of Object.entries(values)) {
            if (value === undefined || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace, state },
      ),
    [setSearch],
  );
  return {
    place,
    sort,
    filter: search.get('filter') ?? '',
    object: search.get('object') ?? undefined,
    isFull: search.has('object') && search.has('full'),
    setSort: useCallback((next) => set({ sort: sortText(next) }, true), [set]),
    setFilter: useCallback((next) => set({ filter: next }, true), [set]),
    setObject: useCallback((key, replace = false) => set({ object: key, full: undefined }, replace), [set]),
    setFull: useCallback((key, replace = false) => set({ object: key, full: '1' }, replace, FROM_FOLDER), [set]),
  };
}
