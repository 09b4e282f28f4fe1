import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Permissions } from '../../wire/permission.ts';
import type { BucketList, ObjectList, ProviderList } from '../../wire/http.ts';
import type { Place } from '../place/place.ts';
import { request } from './request.ts';

/** Keys of one listing request: the most that the service gives. */
export const PAGE_SIZE = 1000;
const FRESH_MILLISECONDS = 30_000;

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) => (await request<ProviderList>(['api', 'providers'], { signal })).providers,
  staleTime: FRESH_MILLISECONDS,
});

export function bucketsQuery(provider: string) {
  return queryOptions({
    queryKey: ['buckets', provider],
    queryFn: async ({ signal }) => (await request<BucketList>(['api', 'providers', provider, 'buckets'], { signal })).buckets,
    staleTime: FRESH_MILLISECONDS,
  });
}

/** The pages of a folder. Structural sharing is off: comparing 100,000 rows on every page costs more than drawing them. */
export function listingQuery({ provider, bucket, prefix }: Place) {
  return infiniteQueryOptions({
    queryKey: ['listing', provider, bucket, prefix],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      request<ObjectList>(['api', 'providers', provider, 'buckets', bucket, 'objects'], {
        query: { prefix, delimiter: '/', limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    getNextPageParam: (page: ObjectList) => page.next_cursor ?? undefined,
    structuralSharing: false,
    staleTime: FRESH_MILLISECONDS,
  });
}

/** What to ask permissions for: a provider, a bucket, the keys that start with a prefix, or one key. */
export type PermissionScope =
  | { readonly provider: string }
  | { readonly provider: string; readonly bucket: string; readonly prefix?: string; readonly key?: string };

export function permissionsQuery(scope: PermissionScope) {
  const path = 'bucket' in scope ? ['api', 'providers', scope.provider, 'buckets', scope.bucket, 'permissions'] : ['api', 'providers', scope.provider, 'permissions'];
  const query = 'bucket' in scope ? { prefix: scope.prefix === '' ? undefined : scope.prefix, key: scope.key } : {};
  return queryOptions({
    queryKey: ['permissions', scope],
    queryFn: async ({ signal }) => (await request<Permissions>(path, { query, signal })).actions,
    staleTime: 5 * 60_000,
  });
}

/** After objects changed: reads the folder again, and every other folder of the bucket when it is next opened. */
export async function refreshListing(client: QueryClient, place: Pick<Place, 'provider' | 'bucket'>): Promise<void> {
  await client.invalidateQueries({ queryKey: ['listing', place.provider, place.bucket] });
}

/** After a bucket was created or deleted. */
export async function refreshBuckets(client: QueryClient, provider: string): Promise<void> {
  await client.invalidateQueries({ queryKey: ['buckets', provider] });
}
