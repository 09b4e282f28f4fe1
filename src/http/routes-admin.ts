import { personOf } from '../access/who.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { Sessions } from '../session/sessions.ts';
import { bindingList, policyList, roleList, sessionList, sessionPath } from '../wire/admin.ts';
import { route, type Route } from './route.ts';

export type AdminParts = {
  readonly policies: PolicySet;
  readonly sessions: Sessions;
};

/** Who can do what, for the admin role. */
export function adminRoutes(parts: AdminParts): Route[] {
  const row = { method: 'get', tag: 'Administration', access: { kind: 'admin' } } as const;
  return [
    route({
      ...row,
      path: '/api/admin/roles',
      operation: 'admin/read',
      summary: 'Every defined role',
      responses: { 200: { description: 'Roles and the policies that they bundle.', schema: roleList } },
      handle: () => ({ status: 200, json: { roles: parts.policies.definition.roles } }),
    }),
    route({
      ...row,
      path: '/api/admin/policies',
      operation: 'admin/read',
      summary: 'Every compiled policy',
      responses: { 200: { description: 'The normalized rules that decisions are made from.', schema: policyList } },
      handle: () => ({ status: 200, json: { policies: parts.policies.definition.policies } }),
    }),
    route({
      ...row,
      path: '/api/admin/bindings',
      operation: 'admin/read',
      summary: 'Every binding',
      responses: { 200: { description: 'Which groups and subjects get which role or policies.', schema: bindingList } },
      handle: () => ({ status: 200, json: { bindings: parts.policies.definition.bindings } }),
    }),
    route({
      ...row,
      path: '/api/admin/sessions',
      operation: 'session/list',
      summary: 'Every active session',
      responses: { 200: { description: 'Who is signed in, since when and until when.', schema: sessionList } },
      handle: async () => ({
        status: 200,
        json: {
          sessions: (await parts.sessions.list()).map((session) => ({
            id: session.id,
            subject: session.identity.subject,
            issuer: session.identity.issuer,
            name: session.name,
            kind: session.kind,
            since: new Date(session.startedAt).toISOString(),
            expires: new Date(session.expiresAt).toISOString(),
          })),
        },
      }),
    }),
    route({
      ...row,
      method: 'delete',
      path: '/api/admin/sessions/:id',
      operation: 'session/revoke',
      summary: 'Revoke a session',
      description: 'It ends at once, with its open connections and transfer tickets.',
      params: sessionPath,
      responses: { 204: { description: 'It has ended.' } },
      problems: ['not_found'],
      handle: async ({ input, trail }) => {
        const name = `session/${input.path.id}`;
        trail.about(name);
        const ended = await parts.sessions.endById(input.path.id);
        if (ended === undefined) throw new SvcError('not_found', { detail: 'no active session has this id' });
        trail.about(name, personOf(ended));
        return { status: 204 };
      },
    }),
  ];
}
