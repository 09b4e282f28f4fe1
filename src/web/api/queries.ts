import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { ObjectList } from '../../wire/http.ts';
import type { Place } from '../place/place.ts';
import { answered, service } from './client.ts';
import { tellTabs } from './changed-buckets.ts';
import { PAGE_SIZE } from './listing-request.ts';

const FRESH_MILLISECONDS = 30_000;

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) => (await answered(service.GET('/api/providers', { signal }))).providers,
  staleTime: FRESH_MILLISECONDS,
});

export function bucketsQuery(provider: string) {
  return queryOptions({
    queryKey: ['buckets', provider],
    queryFn: async ({ signal }) =>
      (await answered(service.GET('/api/providers/{provider}/buckets', { params: { path: { provider } }, signal })))
        .buckets,
    staleTime: FRESH_MILLISECONDS,
  });
}

/** All buckets that the user may see. Providers whose buckets cannot be listed are left out. */
export async function allBuckets(client: QueryClient): Promise<readonly Place[]> {
  const providers = await client.query(providersQuery);
  const buckets = await Promise.all(
    providers.map(async ({ name: provider }) =>
      (await client.query(bucketsQuery(provider)).catch(() => [])).map(({ name: bucket }) => ({
        provider,
        bucket,
        prefix: '',
      })),
    ),
  );
  return buckets.flat();
}

/** The ETags of the pages of listings. */
export const pageTags = new WeakMap<ObjectList, string | null>();

/** The query for the pages of a folder. Structural sharing is off, because comparing 100,000 rows on every page takes longer than rendering them. */
export function listingQuery({ provider, bucket, prefix }: Place) {
  return infiniteQueryOptions({
    queryKey: ['listing', provider, bucket, prefix],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        prefix,
        delimiter: '/' as const,
        limit: PAGE_SIZE,
        ...(pageParam !== undefined && { cursor: pageParam }),
      };
      const answer = service.GET('/api/providers/{provider}/buckets/{bucket}/objects', {
        params: { path: { provider, bucket }, query },
        signal,
      });
      const page = await answered(answer);
      pageTags.set(page, (await answer).response.headers.get('etag'));
      return page;
    },
    getNextPageParam: (page: ObjectList) => page.next_cursor ?? undefined,
    structuralSharing: false,
    staleTime: FRESH_MILLISECONDS,
  });
}

/** The resource of a permission request: a provider, a bucket, the keys that start with a prefix, or one key. */
export type PermissionScope =
  | { readonly provider: string }
  | { readonly provider: string; readonly bucket: string; readonly prefix?: string; readonly key?: string };

export function permissionsQuery(scope: PermissionScope) {
  return queryOptions({
    queryKey: ['permissions', scope],
    queryFn: ({ signal }) => answered(permissionsOf(scope, signal)),
    staleTime: 5 * 60_000,
  });
}

function permissionsOf(scope: PermissionScope, signal: AbortSignal) {
  const { provider } = scope;
  if (!('bucket' in scope))
    return service.GET('/api/providers/{provider}/permissions', { params: { path: { provider } }, signal });
  const { bucket, prefix, key } = scope;
  const query = { ...(prefix !== undefined && { prefix }), ...(key !== undefined && { key }) };
  return service.GET('/api/providers/{provider}/buckets/{bucket}/permissions', {
    params: { path: { provider, bucket }, query },
    signal,
  });
}

/** What is made of other answers, which a refusal of one of them is no reason to ask for again. */
const SUMMARIES: readonly unknown[] = ['level', 'puts somewhere'];

/** Asks again what the user may do, because the configuration may have changed. The answers so far are shown meanwhile. */
export async function refreshPermissions(client: QueryClient): Promise<void> {
  await client.invalidateQueries({
    predicate: ({ queryKey: [what, about] }) => what === 'permissions' && !SUMMARIES.includes(about),
  });
}

/** A number for each page of a listing. A page that is read again gets a new number. */
const pageNumbers = new WeakMap<ObjectList, number>();
let pagesSeen = 0;

function pageNumber(page: ObjectList): number {
  const known = pageNumbers.get(page);
  if (known !== undefined) return known;
  pageNumbers.set(page, (pagesSeen += 1));
  return pagesSeen;
}

/** The allowed actions of the user on up to 1,000 keys. */
export async function keyPermissions(
  { provider, bucket }: Pick<Place, 'provider' | 'bucket'>,
  keys: readonly string[],
  signal: AbortSignal,
) {
  return (
    await answered(
      service.POST('/api/providers/{provider}/buckets/{bucket}/permissions', {
        params: { path: { provider, bucket } },
        body: { keys: [...keys] },
        signal,
      }),
    )
  ).keys;
}

type KeyPermissions = Awaited<ReturnType<typeof keyPermissions>>;

/**
 * The query for the allowed actions of the user on each object of a page. While a page that was read again has no answer yet, it has the answer of the page
 * before it, so that nothing that is open is closed.
 */
export function pagePermissionsQuery(client: QueryClient, { provider, bucket, prefix }: Place, page: ObjectList) {
  const ofFolder = ['permissions', 'page', provider, bucket, prefix];
  return queryOptions<KeyPermissions>({
    queryKey: [...ofFolder, pageNumber(page)],
    queryFn: ({ signal }) =>
      keyPermissions(
        { provider, bucket },
        page.objects.map(({ key }) => key),
        signal,
      ),
    placeholderData: () =>
      client
        .getQueriesData<KeyPermissions>({ queryKey: ofFolder })
        .map(([, answer]) => answer)
        .findLast((answer) => [page.objects[0], page.objects.at(-1)].some((object) => object && answer?.[object.key])),
    enabled: page.objects.length > 0,
    structuralSharing: false,
    staleTime: Infinity,
  });
}

/** Refreshes the open folder of a bucket and the open details after a change, and all else of the bucket when it is next opened. */
export async function refreshListing(
  client: QueryClient,
  { provider, bucket }: Pick<Place, 'provider' | 'bucket'>,
): Promise<void> {
  tellTabs({ provider, bucket });
  const stale = [
    ['listing', provider, bucket],
    ['head', { provider, bucket }],
    ['versions', provider, bucket],
  ];
  await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Refreshes the buckets of a provider after one was created or deleted. */
export async function refreshBuckets(client: QueryClient, provider: string): Promise<void> {
  await client.invalidateQueries({ queryKey: ['buckets', provider] });
}
