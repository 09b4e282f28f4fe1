import { queryOptions } from '@tanstack/react-query';
import type { RoleList } from '../../wire/http.ts';
import { apiErrorOf } from '../api/api-error.ts';
import { request } from '../api/request.ts';

/** Whether the service shows the administration to the caller: it is asked, nothing is guessed. */
export const adminQuery = queryOptions({
  queryKey: ['capabilities', 'admin'],
  queryFn: ({ signal }) => answers(request<RoleList>(['api', 'admin', 'roles'], { signal })),
  staleTime: Infinity,
});

type Initialized = { readonly result?: { readonly capabilities?: { readonly apiKeys?: boolean } } };

/** Whether the service keeps API keys. */
export const apiKeysQuery = queryOptions({
  queryKey: ['capabilities', 'api-keys'],
  queryFn: async ({ signal }) => {
    try {
      const answer = await request<Initialized>(['rpc'], { method: 'POST', json: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, signal });
      return answer.result?.capabilities?.apiKeys === true;
    } catch (error) {
      return unlessPassing(error);
    }
  },
  staleTime: Infinity,
});

async function answers(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    return unlessPassing(error);
  }
}

/** A refusal is an answer; a failure that passes is not. */
function unlessPassing(error: unknown): false {
  if (apiErrorOf(error).status >= 400 && apiErrorOf(error).status < 500) return false;
  throw error;
}
