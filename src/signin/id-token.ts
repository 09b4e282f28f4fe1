import type { JWTPayload } from 'jose';
import { SvcError } from '../errors/svc-error.ts';
import { LOGIN_LIFETIME_SECONDS } from './pending-login.ts';
import { providerFailure, rejected } from './provider-failure.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { areEqual } from '../secret/secret.ts';
import { PROMPT_REMEDY } from './desktop-prompt.ts';

export const CLOCK_TOLERANCE_SECONDS = 30;

export type IdTokenChecks = {
  readonly keys: ProviderKeys;
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

export type IdTokenClaims = JWTPayload & { readonly sub: string };

/**
 * Verifies an ID token: signature, type, exact issuer, audience, authorized party, nonce, times and subject.
 *
 * @throws {SvcError} `login_rejected`, `identity_provider_unavailable`, `identity_provider_timeout`
 * @see spec "Authentication"; OpenID Connect Core section 3.1.3.7
 */
export async function verifyIdToken(token: string, checks: IdTokenChecks): Promise<IdTokenClaims> {
  let claims: JWTPayload;
  try {
    claims = await checks.keys.verify(token, {
      issuer: checks.issuer,
      audience: checks.clientId,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      // The token was made for this login, so it cannot be older than the lifetime of a login.
      maxTokenAge: LOGIN_LIFETIME_SECONDS,
      currentDate: new Date(checks.now),
    });
  } catch (error) {
    throw providerFailure(error, 'the check of the ID token');
  }
  if (!isForParty(claims, checks.clientId)) throw unfit('azp');
  const nonce = claims['nonce'];
  if (typeof nonce !== 'string' || !areEqual(nonce, checks.nonce)) throw unfit('nonce');
  if (!hasSubject(claims)) throw unfit('sub');
  return claims;
}

/**
 * Requires that the person authenticated after the login began. An earlier session at the provider does not count.
 *
 * @param since - milliseconds since the epoch, as `now`.
 * @throws {SvcError} `login_invalid`
 * @see OpenID Connect Core section 3.1.2.1, `max_age`
 */
export function requireSignInSince(claims: JWTPayload, since: number, now: number): void {
  const at = claims['auth_time'];
  if (typeof at !== 'number') {
    throw new SvcError('login_invalid', {
      detail: `the identity provider does not say when you signed in there (\`auth_time\`); ${PROMPT_REMEDY}`,
    });
  }
  // Milliseconds in place of seconds would fit every login.
  if (at - CLOCK_TOLERANCE_SECONDS > now / 1000) {
    throw new SvcError('login_invalid', {
      detail: `the identity provider says that you signed in there at a time to come (\`auth_time\`); ${PROMPT_REMEDY}`,
    });
  }
  if (at + CLOCK_TOLERANCE_SECONDS < Math.floor(since / 1000)) {
    throw new SvcError('login_invalid', {
      detail: `the identity provider did not ask you to sign in again; begin a new sign-in, and sign in there. If it never asks, ${PROMPT_REMEDY}`,
    });
  }
}

/** With several audiences, `azp` must name this client. With one audience it may be missing, but must name this client when it is present. */
export function isForParty(claims: JWTPayload, clientId: string): boolean {
  const azp = claims['azp'] ?? undefined;
  const several = Array.isArray(claims.aud) && claims.aud.length > 1;
  return azp === undefined ? !several : azp === clientId;
}

function hasSubject(claims: JWTPayload): claims is IdTokenClaims {
  return typeof claims.sub === 'string' && claims.sub.trim() !== '';
}

function unfit(claim: string): Error {
  return rejected(`the ID token is not valid: its \`${claim}\` does not fit; sign in again`);
}
