import { personOf } from '../../access/who.ts';
import { codeOf, SvcError } from '../../errors/svc-error.ts';
import type { Sessions } from '../../session/sessions.ts';
import { LOGOUT_TOKEN_MAX_BYTES, logoutTokenRequest, tokenFault, tokenForm } from '../../wire/token.ts';
import { route, type HandRoute } from '../routing/route.ts';
import { PROVIDER_PROBLEMS } from './routes-sign-in.ts';
import type { SignInFlow } from './sign-in-flow.ts';

export type ProviderLogoutParts = {
  readonly flow: SignInFlow;
  readonly sessions: Sessions;
};

/**
 * The route at which the identity provider reports that a session, or a person, has signed out there.
 *
 * A token counts as used when everything that it ends has ended. So the provider can send it again after a failure of ours, and if it arrives twice at once,
 * the second request finds nothing to end.
 *
 * @see OpenID Connect Back-Channel Logout 1.0
 */
export function providerLogoutRoute({ flow, sessions }: ProviderLogoutParts): HandRoute {
  return route({
    method: 'post',
    path: '/v1/auth/backchannel-logout',
    tag: 'Sign-in (v1)',
    operation: 'session/endByProvider',
    summary: 'End sessions that the identity provider has ended',
    description:
      'OpenID Connect Back-Channel Logout 1.0; only the identity provider calls this. Ends the sessions that began with the `sid` of the logout token, and those of its `sub` that have no `sid`; or, without `sid`, all sessions of its `sub`. API keys stay valid.',
    body: tokenForm,
    documents: { body: logoutTokenRequest },
    maxBodyBytes: LOGOUT_TOKEN_MAX_BYTES,
    bodyType: 'application/x-www-form-urlencoded',
    access: { kind: 'open' },
    limit: 'faults',
    responses: {
      200: { description: 'The sessions have ended, or there were none.' },
      400: { description: 'The logout token is not valid, or was used before.', schema: tokenFault },
    },
    problems: [...PROVIDER_PROBLEMS, 'session_store_unavailable'],
    handle: async ({ input: { body }, res, trail }) => {
      res.setHeader('Cache-Control', 'no-store');
      try {
        const logout = await flow.signIn.readLogout(tokenIn(body));
        const closed = await sessions.closeLogin(logout);
        if (closed === undefined)
          throw new SvcError('invalid_request', { detail: 'this logout token was used before' });
        const { ids, fault } = closed;
        for (const id of ids) trail.about({ session: id });
        if (ids.length > 0) await trail.intend();
        for (const id of ids) {
          const ended = await sessions.endById(id);
          if (ended === undefined) trail.wasGone({ session: id });
          else trail.did({ session: id }, personOf(ended));
        }
        if (fault !== undefined) throw fault;
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
