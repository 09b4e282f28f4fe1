import type { Request, Response } from 'express';
import { readCredentials } from '../access/credentials.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { SvcError } from '../errors/svc-error.ts';
import { callbackQuery, localChoice, me, returnTo } from '../wire/session.ts';
import { prefersHtml } from './accept.ts';
import type { LocalSignIn } from './local-sign-in.ts';
import { signOutPage } from './page.ts';
import { route, type HandRoute } from './route.ts';
import type { SignInFlow } from './sign-in-flow.ts';
import type { Identify } from '../access/identify.ts';

export type SignInRouteParts = {
  readonly flow: SignInFlow;
  readonly identify: Identify;
  readonly authEnabled: boolean;
  /** In place of an identity provider. */
  readonly local: LocalSignIn | undefined;
};

/** How asking the provider fails. */
export const PROVIDER_PROBLEMS = ['not_found', 'identity_provider_unavailable', 'identity_provider_timeout'] as const satisfies readonly ErrorCode[];
/** How beginning a login fails. */
export const BEGIN_PROBLEMS = ['login_invalid', ...PROVIDER_PROBLEMS] as const satisfies readonly ErrorCode[];
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
export function signInRoutes(parts: SignInRouteParts): HandRoute[] {
  const { flow, authEnabled, local } = parts;
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
      problems: BEGIN_PROBLEMS,
      handle: async ({ input, req, res }) => {
        const path = input.query.return_to;
        if (!authEnabled) return { redirect: flow.withinBase(path) };
        if (local !== undefined) {
          local.show(req, res, { leadsAway: false });
          return undefined;
        }
        return flow.begin(req, res, 'api', { returnTo: path });
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
      head: false,
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
      description: 'Ends the session here first. A browser then goes to the provider to end its session there, where that is on and possible. A browser that another site sent here is asked first.',
      access: open,
      head: false,
      responses: { 200: { description: 'A page that asks.', mediaType: 'text/html' }, 204: { description: 'Signed out.', headers: ['Set-Cookie'] }, 303: { description: 'Signed out; a browser goes on to the provider or to `/signed-out`.', headers: ['Set-Cookie'] } },
      problems: ['origin_mismatch', 'session_store_unavailable'],
      handle: async (request) => {
        if (isSentByOthers(request.req)) {
          askFirst(request, flow.withinBase('/'));
          return undefined;
        }
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
        // A key belongs to `/rpc`; here it is no credential.
        const identity = caller === undefined || caller.kind === 'apiKey' ? { subject: '', groups: [] } : caller.identity;
        return { status: 200, json: { authenticated: caller?.kind === 'session', auth_enabled: authEnabled, subject: identity.subject, groups: identity.groups } };
      },
    }),
  ];
  return local === undefined ? rows : [...rows, localSignInRoute(flow, local)];
}

function isSentByOthers({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Another site may lead people here, and not sign them out by that. The link leads here again, from a page of ours. */
function askFirst({ req, res }: { readonly req: Request; readonly res: Response }, home: string): void {
  if (!prefersHtml(req)) throw new SvcError('origin_mismatch', { detail: 'another site may not sign people out here' });
  res.set('Cache-Control', 'no-store').type('html').send(signOutPage(req.originalUrl, home));
}

function localSignInRoute(flow: SignInFlow, local: LocalSignIn): HandRoute {
  return route({
    method: 'post',
    path: '/api/auth/login',
    tag: 'Sign-in',
    operation: 'login/local',
    summary: 'Sign in as a local user',
    query: returnTo,
    body: localChoice,
    bodyType: 'application/x-www-form-urlencoded',
    access: { kind: 'open' },
    limit: 'sign-in',
    responses: { 303: { description: 'Signed in.', headers: ['Set-Cookie'] } },
    problems: ['login_refused', 'session_capacity', 'session_store_unavailable'],
    handle: async (request) => {
      const { input, req } = request;
      await flow.startWebSession(request, local.choose(req, input.body.subject));
      return { redirect: flow.withinBase(input.query.return_to) };
    },
  });
}
