import { queryOptions } from '@tanstack/react-query';
import type { ExplainRequest } from '../../wire/http.ts';
import { answered, service } from '../api/client.ts';

export const rolesQuery = queryOptions({
  queryKey: ['admin', 'roles'],
  queryFn: async ({ signal }) => (await answered(service.GET('/api/admin/roles', { signal }))).roles,
});

export const policiesQuery = queryOptions({
  queryKey: ['admin', 'policies'],
  queryFn: async ({ signal }) => (await answered(service.GET('/api/admin/policies', { signal }))).policies,
});

export const bindingsQuery = queryOptions({
  queryKey: ['admin', 'bindings'],
  queryFn: async ({ signal }) => (await answered(service.GET('/api/admin/bindings', { signal }))).bindings,
});

export const sessionsQuery = queryOptions({
  queryKey: ['admin', 'sessions'],
  queryFn: async ({ signal }) => (await answered(service.GET('/api/admin/sessions', { signal }))).sessions,
});

/** The service decides; nothing is evaluated here. */
export function explanationQuery(question: ExplainRequest) {
  const { groups, ...rest } = question;
  const body = { ...rest, ...(groups !== undefined && { groups: [...groups] }) };
  return queryOptions({
    queryKey: ['admin', 'explain', question],
    queryFn: ({ signal }) => answered(service.POST('/api/admin/explain', { body, signal })),
    retry: false,
  });
}

/** Ends somebody's session at once, with its connections and transfers. */
export async function revokeSession(id: string): Promise<void> {
  await service.DELETE('/api/admin/sessions/{id}', { params: { path: { id } } });
}
