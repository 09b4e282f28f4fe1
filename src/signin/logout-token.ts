import type { JWTPayload } from 'jose';
import { SvcError } from '../errors/svc-error.ts';
import { CLOCK_TOLERANCE_SECONDS, isForParty } from './id-token.ts';
import { withoutNull } from './claims.ts';
import { isProviderName } from './provider-login.ts';
import { claimIn, providerFailure } from './provider-failure.ts';
import type { ProviderKeys } from './provider-keys.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/**
 * The maximum age of a logout token. Providers send tokens at once and retry for a short time. It also limits how long a used token is remembered, and the
 * lifetime of tokens without `exp`, which some providers make.
 */
const MAX_AGE_SECONDS = 600;

export type LogoutTokenChecks = {
  readonly keys: ProviderKeys;
  readonly issuer: string;
  readonly clientId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** A logout that the provider reports. */
export type ProviderLogout = {
  /** One session at the provider, or, without a `sid`, every session of the person there. With both, also the person's sessions of which no `sid` is known. */
  readonly login: { readonly issuer: string } & (
    { readonly sid: string; readonly sub?: string | undefined } | { readonly sub: string; readonly sid?: undefined }
  );
  /** Seconds since the epoch, by the provider's clock. */
  readonly at: number;
  /** The id of the token, which is accepted once. */
  readonly tokenId: string;
  /** Milliseconds since the epoch, after which the token is refused anyway. */
  readonly until: number;
};

/**
 * Verifies a logout token: signature, type, exact issuer, audience, authorized party, times, the event, an id, no nonce, and the session or person. `exp` is checked if present.
 *
 * @throws {SvcError} `invalid_request`, `identity_provider_unavailable`, `identity_provider_timeout`
 * @see OpenID Connect Back-Channel Logout 1.0, section 2.6
 */
export async function verifyLogoutToken(token: string, checks: LogoutTokenChecks): Promise<ProviderLogout> {
  const claims = await verified(token, checks);
  if (!isForParty(claims, checks.clientId)) throw unfit('azp');
  const { sub, sid, jti, events } = withoutNull(claims);
  if (typeof events !== 'object' || events === null || !isObject((events as Record<string, unknown>)[EVENT]))
    throw unfit('events');
  if ('nonce' in claims) throw unfit('nonce');
  if (!isProviderName(jti)) throw unfit('jti');
  if (sub !== undefined && !isProviderName(sub)) throw unfit('sub');
  if (sid !== undefined && !isProviderName(sid)) throw unfit('sid');
  const { issuer } = checks;
  const at = claims.iat!;
  const until =
    (Math.min(claims.exp ?? Number.POSITIVE_INFINITY, at + MAX_AGE_SECONDS) + 2 * CLOCK_TOLERANCE_SECONDS) * 1000;
  if (sid !== undefined) return { login: { issuer, sid, sub }, at, tokenId: jti, until };
  if (sub !== undefined) return { login: { issuer, sub }, at, tokenId: jti, until };
  throw unfit('sid');
}

async function verified(token: string, { keys, issuer, clientId, now }: LogoutTokenChecks): Promise<JWTPayload> {
  try {
    return await keys.verify(
      token,
      {
        issuer,
        audience: clientId,
        ownType: 'logout+jwt',
        requiredClaims: ['iat', 'jti', 'events'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        currentDate: new Date(now),
      },
      'stranger',
    );
  } catch (error) {
    const failure = providerFailure(error, 'the check of the logout token');
    throw failure.code === 'login_rejected' ? unfit(claimIn(error), failure.cause) : failure;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unfit(claim: string | undefined, cause?: unknown): SvcError {
  const detail =
    claim === undefined
      ? 'the logout token is not valid'
      : `the logout token is not valid: its \`${claim}\` does not fit`;
  return new SvcError('invalid_request', { detail, ...(cause !== undefined && { cause }) });
}
