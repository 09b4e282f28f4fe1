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
  postLogoutRedirectUri: string | undefined,
): string | undefined {
  const endpoint = provider.metadata.end_session_endpoint;
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
  if (url === null || !isSafe(url)) return undefined;
  if (idToken !== undefined) url.searchParams.append('id_token_hint', idToken);
  if (postLogoutRedirectUri !== undefined) url.searchParams.append('post_logout_redirect_uri', postLogoutRedirectUri);
  url.searchParams.append('client_id', provider.config.clientMetadata().client_id);
  return url.href;
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isNumericLoopback(url));
}
