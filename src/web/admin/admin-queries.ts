import { queryOptions } from '@tanstack/react-query';
import type { BindingList, ExplainRequest, Explanation, PolicyList, RoleList, SessionList } from '../../wire/http.ts';
import { request, send } from '../api/request.ts';

export const rolesQuery = queryOptions({
  queryKey: ['admin', 'roles'],
  queryFn: async ({ signal }) => (await request<RoleList>(['api', 'admin', 'roles'], { signal })).roles,
});

export const policiesQuery = queryOptions({
  queryKey: ['admin', 'policies'],
  queryFn: async ({ signal }) => (await request<PolicyList>(['api', 'admin', 'policies'], { signal })).policies,
});

export const bindingsQuery = queryOptions({
  queryKey: ['admin', 'bindings'],
  queryFn: async ({ signal }) => (await request<BindingList>(['api', 'admin', 'bindings'], { signal })).bindings,
});

export const sessionsQuery = queryOptions({
  queryKey: ['admin', 'sessions'],
  queryFn: async ({ signal }) => (await request<SessionList>(['api', 'admin', 'sessions'], { signal })).sessions,
});

/** The service decides; nothing is evaluated here. */
export function explanationQuery(question: ExplainRequest) {
  return queryOptions({
    queryKey: ['admin', 'explain', question],
    queryFn: ({ signal }) => request<Explanation>(['api', 'admin', 'explain'], { method: 'POST', json: question, signal }),
    retry: false,
  });
}

/** Ends somebody's session at once, with its connections and transfers. */
export async function revokeSession(id: string): Promise<void> {
  await send(['api', 'admin', 'sessions', id], { method: 'DELETE' });
}
