import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { bucketsQuery, permissionsQuery, providersQuery } from '../api/queries.ts';

/** The maximum number of buckets to check. If there are more, the query assumes that the user may write to one of them. */
const MOST_BUCKETS = 200;
const BUCKETS_AT_ONCE = 10;

/** The query for whether the user may write objects in any visible bucket. It stops at the first such bucket. */
export function putsSomewhereQuery(client: QueryClient) {
  return queryOptions({
    queryKey: ['permissions', 'puts somewhere'],
    queryFn: async () => {
      let asked = 0;
      for (const { name: provider } of await client.query(providersQuery)) {
        // A provider whose buckets cannot be listed offers no target.
        const buckets = await client.query(bucketsQuery(provider)).catch(() => []);
        for (let start = 0; start < buckets.length; start += BUCKETS_AT_ONCE) {
          if ((asked += BUCKETS_AT_ONCE) > MOST_BUCKETS) return true;
          const some = buckets.slice(start, start + BUCKETS_AT_ONCE);
          const answers = await Promise.all(
            some.map(({ name: bucket }) => client.query(permissionsQuery({ provider, bucket }))),
          );
          if (answers.some(({ actions }) => actions.includes('objects:write'))) return true;
        }
      }
      return false;
    },
    staleTime: 5 * 60_000,
  });
}
