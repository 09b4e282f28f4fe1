import { keepPreviousData, useInfiniteQuery, type QueryKey, type UseInfiniteQueryResult } from '@tanstack/react-query';

/** One page of a list, as the service answers it. */
export type ListPage<Item> = { readonly items: readonly Item[]; readonly total: number; readonly next: string | null };
export type PageQuestion = { readonly person?: string; readonly cursor?: string; readonly limit: number };

/** How many are asked for at once. */
const PAGE = 100;

/** A list that comes in pages, of the people whose name or subject has a part like `person`. */
export function usePaged<Item>(queryKey: QueryKey, person: string, ask: (question: PageQuestion, signal: AbortSignal) => Promise<ListPage<Item>>) {
  const query = useInfiniteQuery({
    queryKey: [...queryKey, person],
    queryFn: ({ pageParam, signal }) => ask({ limit: PAGE, ...(person !== '' && { person }), ...(pageParam !== undefined && { cursor: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({ items: pages.flatMap(({ items }) => items), total: pages[0]?.total ?? 0 }),
  });
  return { query, more: moreOf(query) };
}

/** What a list can say of its next page. */
export type More = { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void };

export function moreOf({ hasNextPage, isFetchingNextPage, fetchNextPage }: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>): More {
  return { hasMore: hasNextPage, isLoading: isFetchingNextPage, load: () => void fetchNextPage() };
}
