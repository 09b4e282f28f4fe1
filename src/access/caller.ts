import { NOTHING, type Grants } from '../policy/index/grants.ts';
import type { Identity } from '../policy/model/identity.ts';

/** The person or key that makes a request, with their grants. Only `Identify` makes callers, never a transport. */
export type Caller = {
  readonly kind: 'session' | 'apiKey' | 's3Key' | 'webIdentity' | 'anonymous';
  readonly identity: Identity;
  /** The name to show; the subject when the provider gave no name. */
  readonly name: string;
  /** What the caller's bindings grant. For a key: what its creator's bindings grant. */
  readonly grants: Grants;
  /** The allow-only scope of a key, which must allow each action too. */
  readonly scope: Grants | undefined;
  /** The grants that listings and permission lists read: `grants`, or for a key the intersection of `grants` and `scope`. */
  readonly effective: Grants;
  readonly roles: readonly string[];
  /** Whether the caller has the role `admin` and an interactive session. */
  readonly isAdmin: boolean;
  /** The revision of the policies that the grants come from; undefined when no policy decides. */
  readonly policyRevision?: string;
  /** The public id of the session or key that the request came with; empty for `anonymous`. */
  readonly credentialId: string;
  /** Present when `kind` is `session`. */
  readonly session: CallerSession | undefined;
  /** When the key expires, in milliseconds since the epoch; null when it does not expire. */
  readonly keyExpiresAt?: number | null;
  /** When the key was last rotated, in milliseconds since the epoch; null when it never was. */
  readonly keyRotatedAt?: number | null;
  /** Differs after each rotation of the key and each change of its scope. */
  readonly keyState?: string;
};

export type CallerSession = {
  readonly kind: 'web' | 'desktop';
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
};

/** The caller of a route that asks nobody to sign in. */
export const ANONYMOUS: Caller = {
  kind: 'anonymous',
  identity: { issuer: '', subject: '', groups: [] },
  name: '',
  grants: NOTHING,
  scope: undefined,
  effective: NOTHING,
  roles: [],
  isAdmin: false,
  credentialId: '',
  session: undefined,
};

/** Whether the caller is a key or a job, and no person: those manage no keys. */
export function isKey({ kind }: Caller): boolean {
  return kind === 'apiKey' || kind === 's3Key' || kind === 'webIdentity';
}

/** Whether the caller has a session for a token of a trusted issuer. */
export function isJob({ kind }: Caller): boolean {
  return kind === 'webIdentity';
}

/** When the caller's session or key expires, in milliseconds since the epoch; undefined when it does not. */
export function expiryOf(caller: Caller): number | undefined {
  return caller.session?.expiresAt ?? caller.keyExpiresAt ?? undefined;
}

/** Identifies the person behind a caller: all their sessions and keys together. */
export function personIdOf({ identity: { issuer, subject } }: Caller): string {
  return JSON.stringify([issuer, subject]);
}
