import { expiryOf } from '../access/caller.ts';
import { personOf } from '../access/who.ts';
import { SvcError } from '../errors/svc-error.ts';
import { operation } from './operation.ts';

/** The first call of a client: the server's version, and what the caller can use. */
export const initialize = operation({
  name: 'initialize',
  access: { kind: 'session' },
  run: ({ caller, services }) => ({
    server: { name: 'svc', version: services.version },
    capabilities: { apiKeys: services.apiKeys !== undefined, admin: caller.isAdmin },
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
  run: async ({ services }) => ({
    sessions: (await services.sessions.list()).map(({ id, identity, name, kind, startedAt, expiresAt }) => ({
      id,
      subject: identity.subject,
      issuer: identity.issuer,
      name,
      kind,
      since: new Date(startedAt).toISOString(),
      expires: new Date(expiresAt).toISOString(),
    })),
  }),
});

export const revokeSession = operation({
  name: 'session/revoke',
  access: { kind: 'admin' },
  run: async ({ input: { id }, services, trail }) => {
    trail.about(`session/${id}`);
    const ended = await services.sessions.endById(id);
    if (ended === undefined) throw new SvcError('not_found', { detail: 'no active session has this id' });
    trail.about(`session/${id}`, personOf(ended));
    return {};
  },
});
