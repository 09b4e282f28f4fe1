import { unsign } from 'cookie-signature';
import { LRUCache } from 'lru-cache';
import { ADMIN_ROLE } from '../policy/model/builtin.ts';
import { EVERYTHING } from '../policy/index/grants.ts';
import type { Identity } from '../policy/model/identity.ts';
import type { ApiKeys } from '../apikey/api-keys.ts';
import type { S3Key, S3Keys } from '../s3key/s3-keys.ts';
import { API_KEY_PREFIX, digestOf } from '../secret/secret.ts';
import type { Session, SessionKind } from '../session/session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Caller } from './caller.ts';
import type { CredentialRef } from './credential-ref.ts';
import { keyCaller } from './key-caller.ts';
import type { LivePolicies } from './live-policies.ts';
import { webIdentityCaller, type WebIdentitySession } from './web-identity-caller.ts';

/** The credentials of a request. Only one is used: a bearer credential comes before a cookie. */
export type Credentials = {
  /** The raw value of the `svc_session` cookie, as signed by express-session. */
  readonly cookie?: string | undefined;
  /** What follows `Bearer ` in the Authorization header. */
  readonly bearer?: string | undefined;
};

export type IdentifyParts = {
  readonly authEnabled: boolean;
  readonly sessions: Sessions;
  readonly policies: LivePolicies;
  readonly apiKeys: ApiKeys | undefined;
  readonly s3Keys?: S3Keys | undefined;
  /** Whether an administrator has suspended a person or a job; absent without a state database. */
  readonly isSuspended?: (identity: Identity) => Promise<boolean>;
  /** The first secret signs; every secret verifies. */
  readonly cookieSecrets: readonly string[];
};

const MAX_DIGESTS = 10_000;

const ANONYMOUS: Caller = {
  kind: 'anonymous',
  identity: { issuer: '', subject: 'anonymous', groups: [] },
  name: 'anonymous',
  grants: EVERYTHING,
  scope: undefined,
  effective: EVERYTHING,
  roles: [],
  isAdmin: true,
  credentialId: '',
  session: undefined,
};

/**
 * Finds out who makes a request.
 *
 * Both methods return undefined when there is no valid credential. They throw `session_store_unavailable` or `state_unavailable` when
 * a store fails, because a failing store must not look like a sign-out.
 */
export class Identify {
  readonly #parts: IdentifyParts;
  /** The digest of the credential in each cookie whose signature was verified. The session itself is looked up on every request. */
  readonly #digests = new LRUCache<string, string>({ max: MAX_DIGESTS });
  #cookieSecrets: readonly string[];

  constructor(parts: IdentifyParts) {
    this.#parts = parts;
    this.#cookieSecrets = parts.cookieSecrets;
  }

  /** Replaces the secrets that verify cookies. */
  replaceSecrets(secrets: readonly string[]): void {
    this.#cookieSecrets = secrets;
    this.#digests.clear();
  }

  async byCredentials({ bearer, cookie }: Credentials): Promise<Caller | undefined> {
    const { authEnabled, apiKeys, policies } = this.#parts;
    if (!authEnabled) return ANONYMOUS;
    if (bearer !== undefined) {
      if (!isApiKeyCredential(bearer)) return this.#bySession(digestOf(bearer), 'desktop');
      const key = await apiKeys?.authenticate(bearer);
      return key === undefined ? undefined : keyCaller(key, policies);
    }
    const digest = cookie === undefined ? undefined : this.#digestOfCookie(cookie);
    return digest === undefined ? undefined : this.#bySession(digest, 'web');
  }

  /** The caller of a request that an S3 key has signed. */
  byS3Key(key: S3Key): Caller {
    return keyCaller(key, this.#parts.policies);
  }

  /** The caller of a session that was given for a token of a trusted issuer. */
  byWebIdentity(session: WebIdentitySession): Caller {
    return webIdentityCaller(session, this.#parts.policies);
  }

  /** Whether one of the current secrets signed the cookie. */
  verifies(cookie: string): boolean {
    return this.#digestOfCookie(cookie) !== undefined;
  }

  /** The digest of the credential in a cookie. Recent cookies are remembered, which saves two hashes on each further request. */
  #digestOfCookie(cookie: string): string | undefined {
    const seen = this.#digests.get(cookie);
    if (seen !== undefined) return seen;
    const credential = verifyCookie(cookie, this.#cookieSecrets);
    if (credential === undefined) return undefined;
    const digest = digestOf(credential);
    this.#digests.set(cookie, digest);
    return digest;
  }

  /** The current caller of a ticket or connection; undefined when the session or key has ended. */
  async byCredentialRef(credential: CredentialRef): Promise<Caller | undefined> {
    const { authEnabled, apiKeys, s3Keys, policies } = this.#parts;
    if (credential.kind === 'anonymous') return authEnabled ? undefined : ANONYMOUS;
    if (credential.kind === 'session') return this.#bySession(credential.digest, undefined);
    if (credential.kind === 'webIdentity') {
      const isSuspended = await this.#parts.isSuspended?.(credential.session.identity);
      return isSuspended === true ? undefined : this.byWebIdentity(credential.session);
    }
    const key = await (credential.kind === 'apiKey' ? apiKeys : s3Keys)?.find(credential.id);
    // A ticket or connection that was made before a rotation belongs to the old secret.
    return key === undefined || key.rotatedAt !== credential.rotatedAt ? undefined : keyCaller(key, policies);
  }

  async #bySession(digest: string, kind: SessionKind | undefined): Promise<Caller | undefined> {
    const session = await this.#parts.sessions.findByDigest(digest);
    if (session === undefined || (kind !== undefined && session.kind !== kind)) return undefined;
    return callerOf(session, digest, this.#parts.policies);
  }
}

export function isAdmin(roles: readonly string[]): boolean {
  return roles.includes(ADMIN_ROLE);
}

export function isApiKeyCredential(bearer: string): boolean {
  return bearer.startsWith(API_KEY_PREFIX);
}

/** The credential inside a signed cookie value, or undefined when no secret of ours signed it. */
export function verifyCookie(value: string, secrets: readonly string[]): string | undefined {
  if (!value.startsWith('s:')) return undefined;
  const signed = value.slice(2);
  for (const secret of secrets) {
    const credential = unsign(signed, secret);
    if (credential !== false) return credential;
  }
  return undefined;
}

function callerOf(session: Session, digest: string, policies: LivePolicies): Caller {
  const { grants, roles } = policies.grantsFor(session.identity);
  return {
    kind: 'session',
    identity: session.identity,
    name: session.name,
    grants,
    scope: undefined,
    effective: grants,
    roles,
    isAdmin: isAdmin(roles),
    policyRevision: policies.revision,
    credentialId: session.id,
    session: { kind: session.kind, digest, expiresAt: session.expiresAt },
  };
}
