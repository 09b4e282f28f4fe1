import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ActionName } from '../../wire/action-names.ts';
import type { ExplainRequest } from '../../wire/http.ts';
import { unlessGone } from '../api/api-error.ts';
import { answered, service } from '../api/client.ts';
import type { ListPage, PageQuestion } from './paged.ts';
import { isOutcome } from '../activity/outcome.tsx';
import type { ActiveSession, KeptSignIn } from './records.ts';

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

/** The query for the health of the providers. It runs when the page opens and when the user asks for it, because each run may contact every provider. */
export const healthQuery = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: async ({ signal }) => (await answered(service.GET('/api/admin/providers', { signal }))).providers,
  refetchOnWindowFocus: false,
  retry: false,
});

/** The prefix of the query keys of all session queries. */
export const SESSIONS = ['admin', 'sessions'];

export async function sessionsPage(query: PageQuestion, signal: AbortSignal): Promise<ListPage<ActiveSession>> {
  const {
    sessions,
    total,
    next_cursor: next,
  } = await answered(service.GET('/api/admin/sessions', { params: { query }, signal }));
  return { items: sessions, total, next };
}

export type SignInResult = 'signedIn' | 'refused' | 'unknown';

export async function signInsPage(
  question: PageQuestion & { readonly result?: SignInResult },
  signal: AbortSignal,
): Promise<ListPage<KeptSignIn>> {
  const {
    sign_ins: items,
    total,
    next_cursor: next,
  } = await answered(service.GET('/api/admin/sign-ins', { params: { query: question }, signal }));
  return { items, total, next };
}

export type KnownPerson = Pick<ActiveSession, 'issuer' | 'subject' | 'name' | 'groups'>;

type KnownPeople = { readonly people: readonly KnownPerson[]; readonly isWhole: boolean };

/** The people whom a question is about, as their latest sessions and sign-ins name them; those with a session first. */
async function knownPeople(
  about: { readonly person?: string; readonly group?: string },
  signal: AbortSignal,
): Promise<KnownPeople> {
  const question = { limit: 100, ...about };
  const [sessions, signIns] = await Promise.all([
    sessionsPage(question, signal),
    signInsPage({ ...question, result: 'signedIn' }, signal),
  ]);
  const people = [
    ...sessions.items,
    ...signIns.items.map(({ issuer, subject = '', name = subject, groups }) => ({
      issuer,
      subject,
      name,
      groups: groups.map((group) => group.name),
    })),
  ];
  const each = Map.groupBy(people, ({ issuer, subject }) => JSON.stringify([issuer, subject])).values();
  return { people: [...each].map(([latest]) => latest!), isWhole: sessions.next === null && signIns.next === null };
}

export function knownPeopleQuery(text: string) {
  return queryOptions({
    queryKey: [...SESSIONS, 'people', text],
    queryFn: async ({ signal }) => (await knownPeople(text === '' ? {} : { person: text }, signal)).people,
  });
}

export function peopleInGroupQuery(group: string) {
  return queryOptions({
    queryKey: [...SESSIONS, 'people in', group],
    queryFn: ({ signal }) => knownPeople({ group }, signal),
  });
}

/** The query for the groups of a person's latest session or sign-in, or null if none is known. */
export function lastGroupsQuery({ subject, issuer }: { readonly subject: string; readonly issuer: string }) {
  return queryOptions({
    queryKey: ['admin', 'last-groups', subject, issuer],
    queryFn: async ({ signal }) =>
      (await knownPeople({ person: subject }, signal)).people.find(
        (each) => each.subject === subject && each.issuer === issuer,
      )?.groups ?? null,
  });
}

export type ViewQuestion = { readonly subject: string; readonly issuer?: string; readonly groups: readonly string[] };

/** The query for what a person would see. It runs once, because the audit records each request. */
export function viewQuery({ groups, ...person }: ViewQuestion) {
  return queryOptions({
    queryKey: ['admin', 'view-as', person, groups],
    queryFn: ({ signal }) =>
      answered(service.POST('/api/admin/view-as', { body: { ...person, groups: [...groups] }, signal })),
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** The query for the service's decisions about a person and a place, with the rules behind them. */
export function explanationQuery(question: ExplainRequest) {
  const { groups, ...rest } = question;
  const body = { ...rest, ...(groups !== undefined && { groups: [...groups] }) };
  return queryOptions({
    queryKey: ['admin', 'explain', question],
    queryFn: ({ signal }) => answered(service.POST('/api/admin/explain', { body, signal })),
    retry: false,
  });
}

export type WhoQuestion = {
  readonly action: ActionName;
  readonly provider: string;
  readonly bucket?: string;
  readonly prefix?: string;
  readonly key?: string;
};

/** The query for the groups and people who may do an action, page by page. */
export function whoQuery(question: WhoQuestion) {
  return infiniteQueryOptions({
    queryKey: ['admin', 'who', question],
    queryFn: ({ pageParam, signal }) =>
      answered(
        service.GET('/api/admin/who', {
          params: { query: { ...question, limit: 100, ...(pageParam !== undefined && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next,
    retry: false,
  });
}

/** The query for the receivers of the audit. */
export const sinksQuery = queryOptions({
  queryKey: ['admin', 'audit-sinks'],
  queryFn: ({ signal }) => answered(service.GET('/api/admin/audit/sinks', { signal })),
  retry: false,
});

export type AuditFilter = {
  readonly subject?: string;
  readonly issuer?: string;
  readonly resource?: string;
  readonly operation?: string;
  readonly only?: 'changes' | 'storage';
  readonly outcome?: string;
  readonly from?: string;
  readonly to?: string;
};

/** The query for audit lines, page by page. It does not refetch by itself, because the audit records each request. */
export function auditQuery({ outcome, ...filter }: AuditFilter) {
  const query = { ...filter, ...(isOutcome(outcome) && { outcome }), limit: 100 };
  return infiniteQueryOptions({
    queryKey: ['admin', 'audit', query],
    queryFn: ({ pageParam, signal }) =>
      answered(
        service.GET('/api/admin/audit', {
          params: { query: { ...query, ...(pageParam !== undefined && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Ends a session at once, with its connections and transfers, or finds that it has ended. */
export async function revokeSession(id: string): Promise<void> {
  await unlessGone(service.DELETE('/api/admin/sessions/{id}', { params: { path: { id } } }));
}

/** Ends every session of a person at once. */
export async function revokeSessionsOf({ issuer, subject }: Pick<ActiveSession, 'issuer' | 'subject'>): Promise<void> {
  await answered(service.POST('/api/admin/sessions/revoke', { body: { issuer, subject } }));
}
