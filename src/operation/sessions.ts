import { expiryOf } from '../access/caller.ts';
import { personOf } from '../access/who.ts';
import type { Trail } from '../audit/trail.ts';
import { SvcError } from '../errors/svc-error.ts';
import { isPublicId } from '../secret/secret.ts';
import type { Session } from '../session/session.ts';
import { onPerson } from './one-person.ts';
import { operation } from './operation.ts';
import { keepsPlaces } from './places.ts';
import { matchesPerson, pageOf } from './page.ts';
import type { Services } from './services.ts';

/** The first call of a client: the server's version, and what the caller can use. */
export const initialize = operation({
  name: 'initialize',
  access: { kind: 'session' },
  run: ({ caller, services }) => ({
    server: { name: 'svc', version: services.version },
    capabilities: {
      apiKeys: services.apiKeys !== undefined,
      s3Keys: services.s3Keys !== undefined,
      admin: caller.isAdmin,
      audit: services.audit !== undefined,
      places: keepsPlaces(services, caller),
    },
    s3: services.s3Endpoint,
  }),
});

export const getSession = operation({
  name: 'session/get',
  access: { kind: 'session' },
  run: ({ caller }) => {
    const expiresAt = expiryOf(caller);
    return {
      issuer: caller.identity.issuer,
      subject: caller.identity.subject,
      groups: caller.identity.groups,
      name: caller.name,
      kind: caller.kind === 'apiKey' ? caller.kind : (caller.session?.kind ?? 'web'),
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    };
  },
});

export const listSessions = operation({
  name: 'session/list',
  access: { kind: 'admin' },
  run: async ({ input, caller, services }) => {
    const { person, group } = input;
    const sessions = (await services.sessions.list()).filter(
      ({ name, identity: { subject, groups } }) =>
        matchesPerson(person, { name, subject }) && (group === undefined || groups.includes(group)),
    );
    const { page, nextCursor } = pageOf(
      sessions,
      ({ startedAt, id }) => ({ at: startedAt, id }),
      input,
      ({ identity: { groups } }) => JSON.stringify(groups).length,
    );
    return {
      sessions: page.map((session) => ({ ...wireOf(session), current: session.id === caller.credentialId })),
      total: sessions.length,
      nextCursor,
    };
  },
});

export const revokeSession = operation({
  name: 'session/revoke',
  access: { kind: 'admin' },
  about: ({ id }, trail) => {
    if (isPublicId(id)) trail.about({ session: id });
  },
  run: async ({ input: { id }, services, trail }) => {
    const ended = await services.sessions.endById(id);
    if (ended === undefined) throw new SvcError('not_found', { detail: 'no active session has this id' });
    trail.about({ session: id }, personOf(ended));
    return {};
  },
});

export const revokeSessionsOfPerson = operation({
  name: 'session/revokeAll',
  ...onPerson,
  run: async ({ input, services, trail }) => ({ revoked: await endSessionsOf(services, input, trail) }),
});

/** Ends every session of a person, and records each. @returns the number of ended sessions. */
export async function endSessionsOf(
  { sessions }: Pick<Services, 'sessions'>,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  trail: Trail,
): Promise<number> {
  const theirs = (await sessions.list()).filter(
    ({ identity }) => identity.issuer === issuer && identity.subject === subject,
  );
  let ended = 0;
  for (const { id } of theirs) {
    const session = await sessions.endById(id);
    if (session === undefined) continue;
    trail.did({ session: id }, personOf(session));
    ended += 1;
  }
  return ended;
}

function wireOf({ id, identity, name, kind, startedAt, expiresAt, lastUsedAt, address }: Session) {
  return {
    id,
    subject: identity.subject,
    issuer: identity.issuer,
    groups: identity.groups,
    name,
    kind,
    since: new Date(startedAt).toISOString(),
    expires: new Date(expiresAt).toISOString(),
    lastUsed: new Date(lastUsedAt ?? startedAt).toISOString(),
    address: address ?? null,
  };
}
