import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { bucketsQuery, permissionsQuery } from '../api/queries.ts';
import { callAll } from '../api/rpc.ts';
import { t } from '../words/words.ts';
import type { Action } from './use-permissions.ts';

/** The service answers at most this many RPC calls in one message. */
const MOST_BUCKETS = 50;

/** The access levels in a provider, the highest first, each with an action that implies it. */
const LEVELS: readonly (readonly [needs: Action, level: string])[] = [
  ['buckets:create', t('Can manage buckets')],
  ['buckets:delete', t('Can manage buckets')],
  ['objects:write', t('Can change files')],
  ['objects:delete', t('Can change files')],
  ['objects:get', t('Can open files')],
  ['objects:list', t('Can see names')],
];

/** The query for the highest access level of the user in the first 50 buckets of a provider. The result is a label, or null without access. */
export function accessLevelQuery(client: QueryClient, provider: string) {
  return queryOptions({
    queryKey: ['permissions', 'level', provider],
    queryFn: async ({ signal }) => {
      const [{ actions }, buckets] = await Promise.all([
        client.query(permissionsQuery({ provider })),
        client.query(bucketsQuery(provider)),
      ]);
      const some = buckets.slice(0, MOST_BUCKETS);
      const answers =
        some.length === 0
          ? []
          : await callAll(
              some.map(() => 'permission/list' as const),
              some.map(({ name: bucket }) => ({ provider, bucket })),
              signal,
            );
      const all = new Set([...actions, ...answers.flatMap((answer) => ('actions' in answer ? answer.actions : []))]);
      return LEVELS.find(([needs]) => all.has(needs))?.[1] ?? null;
    },
    staleTime: 5 * 60_000,
  });
}
