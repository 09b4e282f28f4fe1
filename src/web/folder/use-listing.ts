import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ObjectList } from '../../wire/http.ts';
import { listingQuery } from '../api/queries.ts';
import { withDeleted } from '../objects/deleted.ts';
import { entriesOf, type Entry, type Rows } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { arrange, type Sort } from './sort.ts';

export type Listing = {
  readonly pages: readonly ObjectList[];
  /** The sorted rows that match the filter. */
  readonly rows: readonly Entry[];
  /** The number of rows that are loaded, before the filter and without those of deleted objects. */
  readonly loaded: number;
  /** The number of rows of deleted objects, before the filter. */
  readonly deleted: number;
  /** Whether all pages are loaded. */
  readonly complete: boolean;
  readonly pending: boolean;
  /** Whether a request is running, including a refresh in the background. */
  readonly loading: boolean;
  readonly loadingAll: boolean;
  readonly error: Error | null;
  /** Whether loading the next page failed. The rows shown are not out of date then. */
  readonly restFailed: boolean;
  /** The time at which the rows were read, in milliseconds since the epoch. */
  readonly readAt: number;
  readonly loadMore: () => void;
  readonly loadAll: () => void;
  readonly stopLoading: () => void;
  readonly retry: () => void;
};

const NO_PAGES: readonly ObjectList[] = [];

/** The rows of a folder, read page by page. @param deleted - the rows of deleted objects, which are shown among the others. */
export function useListing(place: Place, sort: Sort, filter: string, deleted: Rows): Listing {
  const {
    data,
    dataUpdatedAt,
    error,
    isPending,
    isFetching,
    isFetchNextPageError,
    hasNextPage,
    fetchNextPage,
    refetch,
  } = useInfiniteQuery(listingQuery(place));
  const [loadingAll, setLoadingAll] = useState(false);
  const wanted = useRef(false);
  // Stop loading all pages when the user leaves the folder.
  useEffect(
    () => () => {
      wanted.current = false;
    },
    [place.provider, place.bucket, place.prefix],
  );
  const pages = data?.pages ?? NO_PAGES;
  const entries = useMemo(() => entriesOf(pages, place.prefix), [pages, place.prefix]);
  const complete = data !== undefined && !hasNextPage;
  const arranged = useMemo(() => {
    const { folders, files } = withDeleted(entries, deleted, complete);
    return arrange(folders, files, sort, complete);
  }, [entries, deleted, complete, sort]);
  const loaded = entries.folders.length + entries.files.length;
  const rows = useMemo(() => {
    if (filter === '') return arranged;
    const part = filter.toLowerCase();
    return arranged.filter(({ name }) => name.toLowerCase().includes(part));
  }, [arranged, filter]);

  const loadMore = useCallback(() => {
    void fetchNextPage({ cancelRefetch: false });
  }, [fetchNextPage]);
  const loadAll = useCallback(() => {
    const next = async (): Promise<void> => {
      const page = await fetchNextPage({ cancelRefetch: false });
      if (wanted.current && page.hasNextPage && !page.isError) await next();
    };
    wanted.current = true;
    setLoadingAll(true);
    void next().finally(() => setLoadingAll(false));
  }, [fetchNextPage]);

  return {
    pages,
    rows,
    loaded,
    deleted: arranged.length - loaded,
    complete,
    pending: isPending,
    loading: isFetching,
    loadingAll,
    error,
    restFailed: isFetchNextPageError,
    readAt: dataUpdatedAt,
    loadMore,
    loadAll,
    stopLoading: useCallback(() => {
      wanted.current = false;
    }, []),
    retry: useCallback(() => void refetch(), [refetch]),
  };
}
