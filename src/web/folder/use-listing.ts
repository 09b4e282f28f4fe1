import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ObjectList } from '../../wire/http.ts';
import { listingQuery } from '../api/queries.ts';
import { entriesOf, type Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { arrange, type Sort } from './sort.ts';

export type Listing = {
  readonly pages: readonly ObjectList[];
  /** What passes the filter, in the order asked for. */
  readonly rows: readonly Entry[];
  /** Rows that arrived so far, before the filter. */
  readonly loaded: number;
  /** Whether everything arrived. */
  readonly complete: boolean;
  readonly pending: boolean;
  /** Also while it is read again in the background. */
  readonly loading: boolean;
  readonly loadingAll: boolean;
  readonly error: Error | null;
  /** Whether only the next page failed, so that what is shown is as new as before. */
  readonly restFailed: boolean;
  /** When the rows were read, in milliseconds since the epoch. */
  readonly readAt: number;
  readonly loadMore: () => void;
  readonly loadAll: () => void;
  readonly stopLoading: () => void;
  readonly retry: () => void;
};

const NO_PAGES: readonly ObjectList[] = [];

/** The rows of a folder, read page by page. */
export function useListing(place: Place, sort: Sort, filter: string): Listing {
  const { data, dataUpdatedAt, error, isPending, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(listingQuery(place));
  const [loadingAll, setLoadingAll] = useState(false);
  const wanted = useRef(false);
  // Whoever leaves the folder wants no more of it.
  useEffect(
    () => () => {
      wanted.current = false;
    },
    [place.provider, place.bucket, place.prefix],
  );
  const pages = data?.pages ?? NO_PAGES;
  const entries = useMemo(() => entriesOf(pages, place.prefix), [pages, place.prefix]);
  const arranged = useMemo(() => arrange(entries.folders, entries.files, sort), [entries, sort]);
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
    loaded: arranged.length,
    complete: data !== undefined && !hasNextPage,
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
