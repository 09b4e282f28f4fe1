import { unsign } from 'cookie-signature';
import { EVERYTHING } from '../policy/grants.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { ApiKeys } from '../apikey/registry.ts';
import { digestOf } from '../session/credential.ts';
import type { Session, SessionKind } from '../session/session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Caller } from './caller.ts';
import { keyCaller } from './key-caller.ts';

/** What a request brought along. At most one counts: a bearer credential comes before a cookie. */
export type Credentials = {
  /** The raw value of the `svc_session` cookie, as signed by express-session. */
  readonly cookie?: string | undefined;
  /** What follows `Bearer ` in the Authorization header. */
  readonly bearer?: string | undefined;
};

export type IdentifyParts = {
  readonly authEnabled: boolean;
  readonly sessions: Sessions;
  readonly policies: PolicySet;
  readonly apiKeys: ApiKeys | undefined;
  /** The first signs; all verify. */
  readonly cookieSecrets: readonly string[];
};

const ADMIN_ROLE = 'admin';

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
 * @returns undefined when no valid credential came along.
 * @throws {SvcError} `session_store_unavailable`: a failing store is never "signed out".
 */
export type Identify = (credentials: Credentials) => Promise<Caller | undefined>;

export function createIdentify(parts: IdentifyParts): Identify {
  if (!parts.authEnabled) return () => Promise.resolve(ANONYMOUS);
  return async ({ bearer, cookie }) => {
    if (bearer !== undefined) {
      if (bearer.startsWith('svc_ak_')) return parts.apiKeys === undefined ? undefined : keyCaller(parts.apiKeys, parts.policies, bearer);
      return sessionCaller(parts, bearer, 'desktop');
    }
    if (cookie === undefined) return undefined;
    const credential = verifyCookie(cookie, parts.cookieSecrets);
    return credential === undefined ? undefined : sessionCaller(parts, credential, 'web');
  };
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

async function sessionCaller(parts: IdentifyParts, credential: string, kind: SessionKind): Promise<Caller | undefined> {
  const digest = digestOf(credential);
  const session = await parts.sessions.findByDigest(digest);
  return session?.kind === kind ? callerOf(session, digest, parts.policies) : undefined;
}

function callerOf(session: Session, digest: string, policies: PolicySet): Caller {
  const { grants, roles } = policies.grantsFor(session.identity);
  return {
    kind: 'session',
    identity: session.identity,
    name: session.name,
    grants,
    scope: undefined,
    effective: grants,
    roles,
    isAdmin: roles.includes(ADMIN_ROLE),
    credentialId: session.id,
    session: { kind: session.kind, digest, expiresAt: session.expiresAt },
  };
}
