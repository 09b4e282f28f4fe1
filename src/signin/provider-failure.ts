import { codeOf, SvcError } from '../errors/svc-error.ts';

/** Token-endpoint errors about the code or the login, not about the setup of this service (RFC 6749 section 5.2). */
const ABOUT_THE_LOGIN: readonly string[] = ['invalid_grant', 'invalid_request'];

/** Codes of unusable answers: the provider, or a proxy before it, is broken. */
const BROKEN_ANSWER: readonly string[] = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
  'ERR_JOSE_GENERIC',
  'ERR_JWKS_INVALID',
];

const CLIENT_REMEDY =
  'it refuses the client or its secret; check `auth.oidc.client_id` and `client_secret`, and set `client_auth: post` if it takes the secret in the body only';

/**
 * Turns an error of openid-client or jose into an {@link SvcError}.
 *
 * Their causes contain codes, tokens and claims, so only the error's code and the name of a claim are kept.
 *
 * @param doing - the step that failed, such as `the code exchange`.
 */
export function providerFailure(error: unknown, doing: string): SvcError {
  const own = ownErrorIn(error);
  if (own !== undefined) return own;
  const code = textAt(error, 'code') ?? textAt(error, 'name') ?? 'unknown';
  const oauthError = printable(textAt(error, 'error'));
  const cause = new Error(`${doing}: ${code}${oauthError === undefined ? '' : ` (${oauthError})`}`);
  if (
    code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' ||
    statusIn(error) === 401 ||
    oauthError === 'invalid_client' ||
    oauthError === 'unauthorized_client'
  ) {
    return unavailable(`the identity provider does not accept this service in ${doing}: ${CLIENT_REMEDY}`, cause);
  }
  if (oauthError !== undefined && !ABOUT_THE_LOGIN.includes(oauthError)) {
    return unavailable(`the identity provider answered ${doing} with \`${oauthError}\``, cause);
  }
  if (BROKEN_ANSWER.includes(code))
    return unavailable(`the identity provider answered ${doing} with something that cannot be used (${code})`, cause);
  if (oauthError !== undefined)
    return rejected(`the identity provider does not accept the code (\`${oauthError}\`); sign in again`, cause);
  const claim = claimIn(error);
  return rejected(
    claim === undefined
      ? 'the ID token is not valid; sign in again'
      : `the ID token is not valid: its \`${claim}\` does not fit; sign in again`,
    cause,
  );
}

/** @returns `login_rejected` with the given detail. */
export function rejected(detail: string, cause?: Error): SvcError {
  return new SvcError('login_rejected', { detail, ...(cause && { cause }) });
}

function unavailable(detail: string, cause: Error): SvcError {
  return new SvcError('identity_provider_unavailable', { detail, cause });
}

/** The error that our own fetch threw, which a library may have wrapped several times. */
function ownErrorIn(error: unknown): SvcError | undefined {
  for (
    let inner: unknown = error;
    typeof inner === 'object' && inner !== null;
    inner = 'cause' in inner ? inner.cause : undefined
  ) {
    if (codeOf(inner) !== undefined) return inner as SvcError;
  }
  return undefined;
}

/** The name of the claim that an error is about. jose has it on the error, oauth4webapi in its cause. */
export function claimIn(error: unknown): string | undefined {
  for (
    let inner: unknown = error;
    typeof inner === 'object' && inner !== null;
    inner = 'cause' in inner ? inner.cause : undefined
  ) {
    const claim = printable(textAt(inner, 'claim'));
    if (claim !== undefined && claim !== 'unspecified') return claim;
  }
  return undefined;
}

/** The status of an answer that the library could not use. */
function statusIn(error: unknown): number | undefined {
  const cause: unknown = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return cause instanceof Response ? cause.status : undefined;
}

function textAt(value: unknown, name: string): string | undefined {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' ? member : undefined;
}

function printable(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}
