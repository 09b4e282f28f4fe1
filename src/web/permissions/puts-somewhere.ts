import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { bucketsQuery, permissionsQuery, providersQuery } from '../api/queries.ts';

/** Of more buckets than these it is not asked: it is assumed that something may be put into one of them. */
const MOST_BUCKETS = 200;
const BUCKETS_AT_ONCE = 10;

/** Whether the caller may put something into one of the buckets that they see. It asks until it finds one. */
export function putsSomewhereQuery(client: QueryClient) {
  return queryOptions({
    queryKey: ['permissions', 'puts somewhere'],
    queryFn: async () => {
      let asked = 0;
      for (const { name: provider } of await client.query(providersQuery)) {
        // Nothing can be chosen at a provider whose buckets cannot be listed.
        const buckets = await client.query(bucketsQuery(provider)).catch(() => []);
        for (let start = 0; start < buckets.length; start += BUCKETS_AT_ONCE) {
          if ((asked += BUCKETS_AT_ONCE) > MOST_BUCKETS) return true;
          const some = buckets.slice(start, start + BUCKETS_AT_ONCE);
          const answers = await Promise.all(some.map(({ name: bucket }) => client.query(permissionsQuery({ provider, bucket }))));
          if (answers.some(({ actions }) => actions.includes('objects:write'))) return true;
        }
      }
      return false;
    },
    staleTime: 5 * 60_000,
  });
}
