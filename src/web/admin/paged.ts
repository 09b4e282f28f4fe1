import { keepPreviousData, useInfiniteQuery, type QueryKey, type UseInfiniteQueryResult } from '@tanstack/react-query';

/** One page of a list. `total` is the number of items on all pages, and `next` is the cursor of the next page. */
export type ListPage<Item> = { readonly items: readonly Item[]; readonly total: number; readonly next: string | null };
export type PageQuestion = { readonly person?: string; readonly cursor?: string; readonly limit: number };

/** The number of items per page. */
const PAGE = 100;

/** Queries a list page by page. @param person - a part of the name or subject of the people to include; empty for all. */
export function usePaged<Item>(
  queryKey: QueryKey,
  person: string,
  ask: (question: PageQuestion, signal: AbortSignal) => Promise<ListPage<Item>>,
) {
  const query = useInfiniteQuery({
    queryKey: [...queryKey, person],
    queryFn: ({ pageParam, signal }) =>
      ask(
        { limit: PAGE, ...(person !== '' && { person }), ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({ items: pages.flatMap(({ items }) => items), total: pages[0]?.total ?? 0 }),
  });
  return { query, more: moreOf(query) };
}

/** Whether a list has a next page, whether that page is being loaded, and a function that loads it. */
export type More = { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void };

export function moreOf({
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
}: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>): More {
  return { hasMore: hasNextPage, isLoading: isFetchingNextPage, load: () => void fetchNextPage() };
}
