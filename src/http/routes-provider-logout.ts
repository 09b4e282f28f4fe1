import { personOf } from '../access/who.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Sessions } from '../session/sessions.ts';
import { LOGOUT_TOKEN_MAX_BYTES, logoutTokenRequest, tokenFault, tokenForm } from '../wire/token.ts';
import { route, type HandRoute } from './route.ts';
import { PROVIDER_PROBLEMS } from './routes-sign-in.ts';
import type { SignInFlow } from './sign-in-flow.ts';

export type ProviderLogoutParts = {
  readonly flow: SignInFlow;
  readonly sessions: Sessions;
};

/**
 * The identity provider tells here that a session, or a person, has been signed out there.
 *
 * A token counts as used when everything that it ends has ended. So the provider can send one again after a failure of ours, and one that arrives twice at once finds
 * nothing the second time.
 *
 * @see OpenID Connect Back-Channel Logout 1.0
 */
export function providerLogoutRoute({ flow, sessions }: ProviderLogoutParts): HandRoute {
  return route({
    method: 'post',
    path: '/v1/auth/backchannel-logout',
    tag: 'Sign-in (v1)',
    operation: 'session/endByProvider',
    summary: 'End what the identity provider has ended',
    description: 'OpenID Connect Back-Channel Logout 1.0, for the identity provider alone: the sessions that began with the `sid` of the logout token end, or all of its `sub` when it has no `sid`. API keys stay.',
    body: tokenForm,
    documents: { body: logoutTokenRequest },
    maxBodyBytes: LOGOUT_TOKEN_MAX_BYTES,
    bodyType: 'application/x-www-form-urlencoded',
    access: { kind: 'open' },
    limit: 'faults',
    responses: { 200: { description: 'The sessions have ended, or there were none.' }, 400: { description: 'The logout token is not valid, or was used before.', schema: tokenFault } },
    problems: [...PROVIDER_PROBLEMS, 'session_store_unavailable'],
    handle: async ({ input: { body }, res, trail }) => {
      res.setHeader('Cache-Control', 'no-store');
      try {
        const logout = await flow.signIn.readLogout(tokenIn(body));
        const ids = await sessions.closeLogin(logout);
        if (ids === undefined) throw new SvcError('invalid_request', { detail: 'this logout token was used before' });
        for (const id of ids) trail.about(`session/${id}`);
        await trail.intend();
        for (const id of ids) {
          const ended = await sessions.endById(id);
          if (ended !== undefined) trail.about(`session/${id}`, personOf(ended));
        }
        await sessions.loginClosed(logout);
        return { status: 200 };
      } catch (error) {
        if (codeOf(error) !== 'invalid_request') throw error;
        trail.failed('invalid_request');
        return { status: 400, json: { error: 'invalid_request', error_description: (error as SvcError).detail } };
      }
    },
  });
}

function tokenIn({ logout_token: token }: Readonly<Record<string, unknown>>): string {
  if (typeof token !== 'string') throw new SvcError('invalid_request', { detail: 'send one `logout_token` in a form' });
  return token;
}
