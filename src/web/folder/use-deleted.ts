import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { bucketInfoQuery, folderVersionsQuery, keepsDeleted } from '../api/version-calls.ts';
import { deletedEntries } from '../objects/deleted.ts';
import type { Rows } from '../objects/entry.ts';
import type { Allowed } from '../permissions/use-permissions.ts';
import type { Place } from '../place/place.ts';
import { useKeptChoice } from '../shell/kept-choice.ts';

export type Deleted = {
  /** Whether the user may see the versions of any object in the folder. */
  readonly mayShow: boolean;
  /** Whether the user chose to see what was deleted, and the bucket keeps versions. */
  readonly isShown: boolean;
  readonly show: (isShown: boolean) => void;
  readonly rows: Rows;
  readonly pending: boolean;
  readonly loading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
};

const NOTHING: Rows = { folders: [], files: [] };

/** What was deleted from a folder. The choice to see it is kept until the tab is closed, and is the same in all folders. */
export function useDeleted(place: Place, { may }: Allowed): Deleted {
  const [choice = false, show] = useKeptChoice('svc-show-deleted', 'sessionStorage');
  const mayShow = may('objects:versions');
  const info = useQuery({ ...bucketInfoQuery(place), enabled: choice && mayShow });
  const isShown = choice && mayShow && keepsDeleted(info.data);
  const query = useInfiniteQuery({ ...folderVersionsQuery(place, place.prefix), enabled: isShown });
  const pages = isShown ? query.data?.pages : undefined;
  const rows = useMemo(
    () => (pages === undefined ? NOTHING : deletedEntries(pages, place.prefix)),
    [pages, place.prefix],
  );
  return {
    mayShow,
    isShown,
    show,
    rows,
    pending: query.isPending,
    loading: query.isFetching,
    error: query.error,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage({ cancelRefetch: false }),
    retry: () => void query.refetch(),
  };
}
