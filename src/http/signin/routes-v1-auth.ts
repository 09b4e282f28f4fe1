import { personOf } from '../../access/who.ts';
import { codeOf, SvcError } from '../../errors/svc-error.ts';
import type { DesktopCodes } from '../../signin/desktop-code.ts';
import { checkDesktopRequest, isDesktopRequest } from '../../signin/desktop-request.ts';
import type { DesktopRequest } from '../../signin/pending-login.ts';
import { authorizeQuery, callbackQuery, endSession, localChoice } from '../../wire/session.ts';
import { TOKEN_REQUEST_MAX_BYTES, tokenAnswer, tokenFault, tokenForm, tokenRequest } from '../../wire/token.ts';
import type { LocalSignIn } from './local-sign-in.ts';
import { route, type HandRoute } from '../routing/route.ts';
import { providerLogoutRoute, type ProviderLogoutParts } from './routes-provider-logout.ts';
import { CALLBACK_PROBLEMS, BEGIN_PROBLEMS } from './routes-sign-in.ts';
import { noteSession, queryOf, type SignInFlow } from './sign-in-flow.ts';

export type V1AuthParts = ProviderLogoutParts & {
  readonly desktopCodes: DesktopCodes;
  readonly authEnabled: boolean;
  /** Replaces the identity provider, for development. */
  readonly local: LocalSignIn | undefined;
};

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** The family B routes for signing in and out, for browsers and desktop clients. */
export function v1AuthRoutes(parts: V1AuthParts): HandRoute[] {
  const { flow, sessions, desktopCodes, authEnabled, local } = parts;
  const tag = 'Sign-in (v1)';
  const open = { kind: 'open' } as const;
  const rows = [
    route({
      method: 'get',
      path: '/v1/auth/authorize',
      tag,
      operation: 'login/begin',
      summary: 'Begin a sign-in, in a browser or for a desktop client',
      description:
        'A browser sends `return_to`. A desktop client sends `response_type=code`, `client_id=svc-desktop`, `redirect_uri`, `state`, `code_challenge` and `code_challenge_method=S256`, and receives its code at the loopback redirect.',
      access: open,
      limit: 'sign-in',
      documents: { query: authorizeQuery },
      responses: {
        200: {
          description: 'Without an identity provider, a page on which to choose a local user.',
          mediaType: 'text/html',
        },
        303: {
          description: 'The browser goes to the identity provider, or with `error` to the desktop client.',
          headers: ['Set-Cookie'],
        },
      },
      problems: BEGIN_PROBLEMS,
      handle: async (request) => {
        const { req, res } = request;
        const query = new URLSearchParams(queryOf(req));
        const returnTo = query.get('return_to') ?? undefined;
        if (!authEnabled) return { redirect: flow.withinBase(returnTo) };
        const asked = desktopOf(query);
        if (asked !== undefined && 'redirect' in asked) return asked;
        if (local !== undefined) {
          local.show(req, res, { leadsAway: asked !== undefined });
          return undefined;
        }
        return asked === undefined ? flow.begin(req, res, { returnTo }) : flow.beginDesktop(request, asked);
      },
    }),
    route({
      method: 'get',
      path: '/v1/auth/callback',
      tag,
      operation: 'login/finish',
      checksAudit: true,
      summary: 'Finish a sign-in after the identity provider',
      access: open,
      limit: 'sign-in',
      documents: { query: callbackQuery },
      responses: {
        303: { description: 'Signed in, or on to the desktop client with its code.', headers: ['Set-Cookie'] },
      },
      problems: CALLBACK_PROBLEMS,
      head: false,
      handle: (request) => flow.finish(request),
    }),
    route({
      method: 'post',
      path: '/v1/auth/token',
      tag,
      operation: 'login/exchange',
      summary: 'Exchange a desktop code for a session credential',
      description:
        'A code is valid for 60 seconds and can be used once. Using it again also ends the session that it created.',
      body: tokenForm,
      documents: { body: tokenRequest },
      maxBodyBytes: TOKEN_REQUEST_MAX_BYTES,
      bodyType: 'application/x-www-form-urlencoded',
      access: open,
      limit: 'sign-in',
      responses: {
        200: { description: 'The session credential, to be sent as `Authorization: Bearer`.', schema: tokenAnswer },
        400: { description: 'The request was refused, with an error of RFC 6749 section 5.2.', schema: tokenFault },
      },
      problems: ['person_suspended', 'session_capacity', 'session_store_unavailable'],
      handle: async ({ input: { body }, req, trail }) => {
        const asked = readTokenRequest(body);
        if ('error' in asked) {
          trail.failed(asked.error);
          return { status: 400, json: asked, headers: NO_STORE };
        }
        const exchange = desktopCodes.redeem(asked, {
          asked: (person) => trail.by({ ...personOf(person), via: 'desktop' }),
          start: (person) => sessions.start({ kind: 'desktop', ...person, address: req.ip }),
          idOf: ({ session }) => session.id,
          revoke: async (id) => {
            const ended = await sessions.endById(id);
            if (ended !== undefined) trail.did({ session: id }, personOf(ended));
          },
        });
        const started = await exchange.catch((error: unknown) => {
          // The provider has ended the sign-in since the code was issued.
          if (codeOf(error) === 'login_rejected') return undefined;
          throw error;
        });
        if (started === undefined) {
          trail.failed('invalid_grant');
          return {
            status: 400,
            json: { error: 'invalid_grant', error_description: 'the code is expired, used or does not match' },
            headers: NO_STORE,
          };
        }
        noteSession(trail, started.session);
        const { startedAt, expiresAt } = started.session;
        return {
          status: 200,
          json: {
            access_token: started.credential,
            token_type: 'Bearer',
            expires_in: Math.floor((expiresAt - startedAt) / 1000),
          },
          headers: NO_STORE,
        };
      },
    }),
    route({
      method: 'post',
      path: '/v1/auth/logout',
      tag,
      operation: 'session/end',
      summary: 'Sign out',
      access: { kind: 'session' },
      responses: {
        200: {
          description: 'The session has ended. Open the URL to sign out at the provider too.',
          schema: endSession,
          headers: ['Set-Cookie'],
        },
        204: { description: 'The session has ended.', headers: ['Set-Cookie'] },
      },
      handle: async (request) => {
        const ended = await flow.end(request);
        const endSessionUrl = ended && (await flow.endSessionUrl(ended));
        return endSessionUrl === undefined ? { status: 204 } : { status: 200, json: { endSessionUrl } };
      },
    }),
  ];
  return local === undefined ? [...rows, providerLogoutRoute(parts)] : [...rows, localSignInRoute(flow, local)];
}

/**
 * The request of a desktop client; undefined when a browser signs itself in.
 *
 * @throws {SvcError} `invalid_request` when the client or its redirect URI cannot be trusted.
 */
function desktopOf(query: URLSearchParams): DesktopRequest | { readonly redirect: string } | undefined {
  if (!isDesktopRequest(query)) return undefined;
  const check = checkDesktopRequest(query);
  if (check.outcome === 'refused') throw new SvcError('invalid_request', { detail: check.detail });
  return check.outcome === 'redirect' ? { redirect: check.redirectTo } : check.desktop;
}

function localSignInRoute(flow: SignInFlow, local: LocalSignIn): HandRoute {
  return route({
    method: 'post',
    path: '/v1/auth/authorize',
    tag: 'Sign-in (v1)',
    operation: 'login/local',
    checksAudit: true,
    summary: 'Sign in as a local user, in a browser or for a desktop client',
    body: localChoice,
    bodyType: 'application/x-www-form-urlencoded',
    access: { kind: 'open' },
    limit: 'sign-in',
    documents: { query: authorizeQuery },
    responses: {
      303: { description: 'Signed in, or on to the desktop client with its code.', headers: ['Set-Cookie'] },
    },
    problems: ['login_refused', 'session_capacity', 'session_store_unavailable'],
    handle: async (request) => {
      const { input, req } = request;
      const query = new URLSearchParams(queryOf(req));
      const asked = desktopOf(query);
      if (asked !== undefined && 'redirect' in asked) return asked;
      const person = local.choose(req, input.body.subject);
      if (asked !== undefined) return flow.sendCode({ desktop: asked, person }, request);
      await flow.startWebSession(request, person);
      return { redirect: flow.withinBase(query.get('return_to') ?? undefined) };
    },
  });
}

type TokenRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly code: string;
  readonly verifier: string;
};

/** Reads the members of a code exchange, or returns the RFC 6749 error of an invalid form. */
function readTokenRequest(form: Readonly<Record<string, unknown>>): TokenRequest | { readonly error: string } {
  const { grant_type: grantType, client_id: clientId, redirect_uri: redirectUri, code, code_verifier: verifier } = form;
  if (typeof grantType !== 'string') return { error: 'invalid_request' };
  if (grantType !== 'authorization_code') return { error: 'unsupported_grant_type' };
  if (
    typeof clientId !== 'string' ||
    typeof redirectUri !== 'string' ||
    typeof code !== 'string' ||
    typeof verifier !== 'string'
  )
    return { error: 'invalid_request' };
  return { clientId, redirectUri, code, verifier };
}
