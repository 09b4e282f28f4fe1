import * as openid from 'openid-client';
import { isNumericLoopback } from './loopback.ts';
import type { KnownProvider } from './provider.ts';

/**
 * The URL at which the browser ends its session at the provider; undefined when the provider offers none, or when it is neither HTTPS nor HTTP on a numeric
 * loopback host.
 *
 * @param idToken - names the session to end. Without it, the provider asks the person.
 * @see spec "Endpoints", Family B, note 1; OpenID Connect RP-Initiated Logout 1.0
 */
export function endSessionUrlAt(
  provider: KnownProvider,
  idToken: string | undefined,
  postLogoutRedirectUri: string,
): string | undefined {
  const endpoint = provider.metadata.end_session_endpoint;
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint) || !isSafe(new URL(endpoint))) return undefined;
  return openid.buildEndSessionUrl(provider.config, {
    ...(idToken !== undefined && { id_token_hint: idToken }),
    post_logout_redirect_uri: postLogoutRedirectUri,
  }).href;
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isNumericLoopback(url));
}
