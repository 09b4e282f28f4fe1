import { useCallback, useMemo } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { placeLink, type Place } from '../place/place.ts';
import { parseSort, sortText, type Sort } from './sort.ts';

export type FolderUrl = {
  readonly place: Place;
  readonly sort: Sort;
  readonly filter: string;
  /** Key of the object whose details are open, or that fills the screen. */
  readonly object: string | undefined;
  readonly isFull: boolean;
  readonly setSort: (sort: Sort) => void;
  readonly setFilter: (filter: string) => void;
  /** @param replace - true to leave no entry in the history, as when walking through the rows. */
  readonly setObject: (key: string | undefined, replace?: boolean) => void;
  /** Shows the object on the whole screen. The entry of the history says that the folder is behind it. */
  readonly setFull: (key: string, replace?: boolean) => void;
};

/** The state of an entry of the history that the folder's page made, for an object on the whole screen. */
export const FROM_FOLDER = 'from folder';

/** The in-app link to a folder or an object, where the rows have the same order as here. */
export function linkInOrder(place: Place, sort: Sort, object?: string): string {
  const link = placeLink(place, object);
  const text = sortText(sort);
  return text === undefined ? link : `${link}${link.includes('?') ? '&' : '?'}sort=${text}`;
}

/** The state of a folder's page. The URL holds all of it, so that every view can be linked. */
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
