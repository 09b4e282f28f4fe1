import { isKey } from '../../access/caller.ts';
import type { Request, Response } from 'express';
import { readCredentials } from '../../access/credentials.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { SvcError } from '../../errors/svc-error.ts';
import { callbackQuery, localChoice, me, returnTo } from '../../wire/session.ts';
import { prefersHtml } from '../routing/accept.ts';
import type { FaultLimit } from '../routing/fault-limit.ts';
import type { LocalSignIn } from './local-sign-in.ts';
import { signOutPage } from '../pages/page.ts';
import { route, type HandRoute } from '../routing/route.ts';
import type { SignInFlow } from './sign-in-flow.ts';
import type { Identify } from '../../access/identify.ts';

export type SignInRouteParts = {
  readonly flow: SignInFlow;
  readonly identify: Identify;
  readonly faults: FaultLimit;
  readonly authEnabled: boolean;
  /** Replaces the identity provider, for development. */
  readonly local: LocalSignIn | undefined;
};

/** Errors of a request to the identity provider. */
export const PROVIDER_PROBLEMS = [
  'not_found',
  'identity_provider_unavailable',
  'identity_provider_timeout',
] as const satisfies readonly ErrorCode[];
/** Errors when a login begins. */
export const BEGIN_PROBLEMS = ['login_invalid', ...PROVIDER_PROBLEMS] as const satisfies readonly ErrorCode[];
/** Errors when a login is completed. */
export const CALLBACK_PROBLEMS = [
  'login_invalid',
  'login_replayed',
  'login_rejected',
  'login_refused',
  'person_suspended',
  'session_capacity',
  'session_store_unavailable',
  ...PROVIDER_PROBLEMS,
] as const satisfies readonly ErrorCode[];

/** The family A routes for signing in and out. */
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
      summary: 'Begin a sign-in',
      query: returnTo,
      access: open,
      limit: 'sign-in',
      responses: {
        200: {
          description: 'Without an identity provider, a page on which to choose a local user.',
          mediaType: 'text/html',
        },
        303: {
          description: 'The browser goes to the identity provider (Authorization Code with PKCE).',
          headers: ['Set-Cookie'],
        },
      },
      problems: BEGIN_PROBLEMS,
      handle: async ({ input, req, res }) => {
        const path = input.query.return_to;
        if (!authEnabled) return { redirect: flow.withinBase(path) };
        if (local !== undefined) {
          local.show(req, res, { leadsAway: false });
          return undefined;
        }
        return flow.begin(req, res, { returnTo: path });
      },
    }),
    route({
      method: 'get',
      path: '/api/auth/callback',
      tag,
      operation: 'login/finish',
      checksAudit: true,
      summary: 'Finish a sign-in after the identity provider',
      access: open,
      limit: 'sign-in',
      documents: { query: callbackQuery },
      head: false,
      responses: {
        303: {
          description: 'The person is signed in, and the browser goes back to where the sign-in began.',
          headers: ['Set-Cookie'],
        },
      },
      problems: CALLBACK_PROBLEMS,
      handle: (request) => flow.finish(request),
    }),
    route({
      method: 'get',
      path: '/api/auth/logout',
      tag,
      operation: 'session/end',
      summary: 'Sign out',
      description:
        'Ends the session of this service first. A browser then goes to the provider to end the session there, when that is turned on and the provider supports it; without a session here too, because one may have ended without the provider. When another site sent the browser here, a page asks the person first. When the session cannot be ended, the cookie stays, and a browser gets a page on which the person can check the session.',
      access: open,
      head: false,
      responses: {
        200: { description: 'A page that asks the person whether to sign out.', mediaType: 'text/html' },
        204: { description: 'The session has ended.', headers: ['Set-Cookie'] },
        303: {
          description: 'The session has ended, and the browser goes to the provider or to `/signed-out`.',
          headers: ['Set-Cookie'],
        },
      },
      problems: ['origin_mismatch', 'session_store_unavailable'],
      handle: async (request) => {
        const { ip, headers } = request.req;
        if (isSentByOthers(request.req)) {
          await parts.faults.refusing(ip, () => askFirst(request, flow.withinBase('/')));
          return undefined;
        }
        if ((await parts.identify.byCredentials(readCredentials(headers))) === undefined) parts.faults.count(ip);
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
      summary: 'Read who is signed in',
      description: 'The answer contains no permissions.',
      access: open,
      responses: { 200: { description: 'Whether the caller is signed in, with subject and groups.', schema: me } },
      problems: ['session_store_unavailable'],
      handle: async ({ req }) => {
        const caller = await parts.identify.byCredentials(readCredentials(req.headers));
        // API keys are valid on `/rpc` only.
        const identity = caller === undefined || isKey(caller) ? { subject: '', groups: [] } : caller.identity;
        return {
          status: 200,
          json: {
            authenticated: caller?.kind === 'session',
            auth_enabled: authEnabled,
            subject: identity.subject,
            groups: identity.groups,
          },
        };
      },
    }),
  ];
  return local === undefined ? rows : [...rows, localSignInRoute(flow, local)];
}

function isSentByOthers({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Asks the person first, because another site must not sign people out with a link to this route. The button of the page leads here again. */
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
    responses: { 303: { description: 'The person is signed in.', headers: ['Set-Cookie'] } },
    problems: ['login_refused', 'person_suspended', 'session_capacity', 'session_store_unavailable'],
    handle: async (request) => {
      const { input, req } = request;
      await flow.startWebSession(request, local.choose(req, input.body.subject));
      return { redirect: flow.withinBase(input.query.return_to) };
    },
  });
}
