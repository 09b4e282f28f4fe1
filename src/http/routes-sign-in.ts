import { readCredentials } from '../access/credentials.ts';
import type { OwnOrigin } from '../access/origin.ts';
import type { LocalUser } from '../policy/binding.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { SvcError } from '../errors/svc-error.ts';
import { callbackQuery, me, returnTo } from '../wire/session.ts';
import { object, string } from '../wire/schema.ts';
import { prefersHtml } from './accept.ts';
import { localUsersPage } from './page.ts';
import { route, type Route } from './route.ts';
import type { SignInFlow } from './sign-in-flow.ts';
import type { Identify } from '../access/identify.ts';

export type SignInRouteParts = {
  readonly flow: SignInFlow;
  readonly identify: Identify;
  readonly authEnabled: boolean;
  /** Offered on a page of their own when there is no identity provider. */
  readonly localUsers: readonly LocalUser[];
  readonly hasProvider: boolean;
  readonly ownOrigin: OwnOrigin;
};

/** How beginning a login at the provider fails. */
export const PROVIDER_PROBLEMS = ['not_found', 'identity_provider_unavailable', 'identity_provider_timeout'] as const satisfies readonly ErrorCode[];
/** How completing one fails. */
export const CALLBACK_PROBLEMS = [
  'login_invalid',
  'login_replayed',
  'login_rejected',
  'login_refused',
  'session_capacity',
  'session_store_unavailable',
  ...PROVIDER_PROBLEMS,
] as const satisfies readonly ErrorCode[];

/** Signing in and out, family A. */
export function signInRoutes(parts: SignInRouteParts): Route[] {
  const { flow, authEnabled, hasProvider } = parts;
  const tag = 'Sign-in';
  const open = { kind: 'open' } as const;
  const rows = [
    route({
      method: 'get',
      path: '/api/auth/login',
      tag,
      operation: 'login/begin',
      summary: 'Begin signing in',
      query: returnTo,
      access: open,
      limit: 'sign-in',
      responses: {
        200: { description: 'Without an identity provider: a page to choose a local user.', mediaType: 'text/html' },
        303: { description: 'To the identity provider (Authorization Code with PKCE).', headers: ['Set-Cookie'] },
      },
      problems: PROVIDER_PROBLEMS,
      handle: async ({ input, req, res }) => {
        const path = input.query.return_to;
        if (!authEnabled) return { redirect: flow.withinBase(path) };
        if (hasProvider) return flow.begin(req, res, 'api', { returnTo: path });
        const action = `${flow.withinBase('/api/auth/login')}?return_to=${encodeURIComponent(flow.withinBase(path))}`;
        res.type('html').send(localUsersPage(parts.localUsers, action));
        return undefined;
      },
    }),
    route({
      method: 'get',
      path: '/api/auth/callback',
      tag,
      operation: 'login/finish',
      summary: 'Where the identity provider sends the browser back',
      access: open,
      limit: 'sign-in',
      documents: { query: callbackQuery },
      responses: { 303: { description: 'Signed in; back to where the sign-in began.', headers: ['Set-Cookie'] } },
      problems: CALLBACK_PROBLEMS,
      handle: (request) => flow.finish(request),
    }),
    route({
      method: 'get',
      path: '/api/auth/logout',
      tag,
      operation: 'session/end',
      summary: 'Sign out',
      description: 'Ends the session here first. A browser then goes to the provider to end its session there, where that is on and possible.',
      access: open,
      responses: { 204: { description: 'Signed out.', headers: ['Set-Cookie'] }, 303: { description: 'Signed out; a browser goes on to the provider or to `/signed-out`.', headers: ['Set-Cookie'] } },
      problems: ['session_store_unavailable'],
      handle: async (request) => {
        const ended = await flow.end(request);
        if (!prefersHtml(request.req)) return { status: 204 };
        return { redirect: (await flow.endSessionUrl(ended)) ?? flow.withinBase('/signed-out') };
      },
    }),
    route({
      method: 'get',
      path: '/api/auth/me',
      tag,
      operation: 'session/get',
      summary: 'Who you are',
      description: 'Says nothing of permissions.',
      access: open,
      responses: { 200: { description: 'Signed in or not.', schema: me } },
      problems: ['session_store_unavailable'],
      handle: async ({ req }) => {
        const caller = await parts.identify.byCredentials(readCredentials(req.headers));
        const identity = caller?.identity ?? { subject: '', groups: [] };
        return { status: 200, json: { authenticated: caller?.kind === 'session', auth_enabled: authEnabled, subject: identity.subject, groups: identity.groups } };
      },
    }),
  ];
  return authEnabled && !hasProvider ? [...rows, localSignIn(parts)] : rows;
}

/** For development: the configuration allows it only while the server listens on loopback. */
function localSignIn({ flow, localUsers, ownOrigin }: SignInRouteParts): Route {
  return route({
    method: 'post',
    path: '/api/auth/login',
    tag: 'Sign-in',
    operation: 'login/local',
    summary: 'Sign in as a local user',
    query: returnTo,
    body: object({ subject: string }),
    bodyType: 'application/x-www-form-urlencoded',
    access: { kind: 'open' },
    limit: 'sign-in',
    responses: { 303: { description: 'Signed in.', headers: ['Set-Cookie'] } },
    problems: ['login_refused', 'session_capacity', 'session_store_unavailable'],
    handle: async (request) => {
      const { input, req } = request;
      ownOrigin.refuseOthers(req.headers);
      const user = localUsers.find(({ subject }) => subject === input.body.subject);
      if (user === undefined) throw new SvcError('login_refused', { detail: 'there is no such local user' });
      await flow.startWebSession(request, { identity: { issuer: user.issuer, subject: user.subject, groups: [] }, name: user.subject, idToken: '' });
      return { redirect: flow.withinBase(input.query.return_to) };
    },
  });
}
