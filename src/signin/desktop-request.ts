import { catalogue } from '../errors/catalogue.ts';
import { codeOf, detailToTell, type SvcError } from '../errors/svc-error.ts';
import { isLoopbackRedirect } from './loopback.ts';
import type { DesktopRequest } from './pending-login.ts';

export const DESKTOP_CLIENT_ID = 'svc-desktop';

const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

/** Printable ASCII (RFC 6749 appendix A.5), short enough to fit into our own state. */
const CLIENT_STATE = /^[\x20-\x7e]{1,512}$/;

/** SHA-256, base64url (RFC 7636 section 4.2). */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export type DesktopRequestCheck =
  | { readonly outcome: 'accepted'; readonly desktop: DesktopRequest }
  /** Answer 400 without a redirect: neither the client nor the redirect can be trusted. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Redirect there. The URL has `error`, `error_description` and `state`. */
  | { readonly outcome: 'redirect'; readonly redirectTo: string };

/** Whether an authorize request comes from a desktop client, rather than from a browser that signs itself in. */
export function isDesktopRequest(query: URLSearchParams): boolean {
  return PARAMETERS.some((name) => query.has(name));
}

/**
 * Checks the request of a desktop client. The client and its redirect come first, because only then may errors be sent by redirect.
 *
 * `code_challenge_method` may be left out, because S256 is the only method.
 *
 * @see spec "Endpoints", Family B, desktop authorize; RFC 6749 section 4.1.2.1
 */
export function checkDesktopRequest(query: URLSearchParams): DesktopRequestCheck {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (query.getAll('client_id').length > 1 || query.get('client_id') !== DESKTOP_CLIENT_ID) {
    return { outcome: 'refused', detail: `client_id: the only client is \`${DESKTOP_CLIENT_ID}\`` };
  }
  if (query.getAll('redirect_uri').length > 1 || !isLoopbackRedirect(redirectUri)) {
    return {
      outcome: 'refused',
      detail: 'redirect_uri: must be `http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`',
    };
  }
  const state = single(query, 'state');
  const refuse = (error: string, description: string): DesktopRequestCheck => ({
    outcome: 'redirect',
    redirectTo: withQuery(redirectUri, {
      error,
      error_description: description,
      ...(state !== undefined && CLIENT_STATE.test(state) && { state }),
    }),
  });
  const repeated = PARAMETERS.find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return refuse('invalid_request', `${repeated} is given more than once`);
  if (query.get('response_type') !== 'code') return refuse('unsupported_response_type', 'response_type must be code');
  if (state === undefined || !CLIENT_STATE.test(state))
    return refuse('invalid_request', 'state must be 1 to 512 printable ASCII characters');
  if ((query.get('code_challenge_method') ?? 'S256') !== 'S256')
    return refuse('invalid_request', 'code_challenge_method must be S256');
  const codeChallenge = query.get('code_challenge') ?? '';
  if (!S256_CHALLENGE.test(codeChallenge))
    return refuse('invalid_request', 'code_challenge must be the SHA-256 of the verifier in base64url, 43 characters');
  return { outcome: 'accepted', desktop: { redirectUri, state, codeChallenge } };
}

/** The URL that tells a desktop client that its sign-in failed with `error`. */
export function desktopFailureUrl(desktop: DesktopRequest, error: unknown): string {
  return withQuery(desktop.redirectUri, {
    error: oauthErrorOf(error),
    error_description: descriptionOf(error),
    state: desktop.state,
  });
}

/** The URL that gives a desktop client its code. */
export function desktopCodeUrl(desktop: DesktopRequest, code: string): string {
  return withQuery(desktop.redirectUri, { code, state: desktop.state });
}

/** Maps an error to the few codes of RFC 6749 section 4.1.2.1. The description says more. */
function oauthErrorOf(error: unknown): 'access_denied' | 'temporarily_unavailable' | 'server_error' {
  switch (codeOf(error)) {
    case 'login_invalid':
    case 'login_refused':
    case 'login_rejected':
      return 'access_denied';
    case 'identity_provider_unavailable':
    case 'identity_provider_timeout':
    case 'session_store_unavailable':
    case 'audit_unavailable':
    case 'session_capacity':
    case 'overloaded':
    case 'rate_limited':
      return 'temporarily_unavailable';
    default:
      return 'server_error';
  }
}

/** The description of an error in our own words, reduced to the characters that RFC 6749 allows. */
function descriptionOf(error: unknown): string {
  const code = codeOf(error);
  const text = code === undefined ? 'the sign-in failed' : (detailToTell(error as SvcError) ?? catalogue[code].title);
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
}

function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** The redirect is a loopback URL without a query, so parameters are appended to its text. */
function withQuery(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  return `${redirectUri}?${new URLSearchParams(parameters).toString()}`;
}
