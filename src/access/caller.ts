import { NOTHING, type Grants } from '../policy/grants.ts';
import type { Identity } from '../policy/identity.ts';

/**
 * Who makes a request, with what they were granted. Made by `identify` (or `anonymous`), never by a transport.
 */
export type Caller = {
  readonly kind: 'session' | 'apiKey' | 'anonymous';
  readonly identity: Identity;
  /** For people; the subject where the provider gave no name. */
  readonly name: string;
  /** What the caller's bindings grant. For an API key: what its creator's bindings grant. */
  readonly grants: Grants;
  /** An API key's own allow-only scope: a second, independent check. */
  readonly scope: Grants | undefined;
  /** The grants that listings and permission lists walk: `grants`, or for an API key its intersection with `scope`. */
  readonly effective: Grants;
  readonly roles: readonly string[];
  /** Has the role named `admin`, through an interactive session. */
  readonly isAdmin: boolean;
  /** The public id of the session or key that the request came with; empty for `anonymous`. */
  readonly credentialId: string;
  /** Present when `kind` is `session`. */
  readonly session: CallerSession | undefined;
  /** Of an API key, in milliseconds since the epoch; null when it does not expire. */
  readonly keyExpiresAt?: number | null;
  /** Of an API key, in milliseconds since the epoch; null when it never was. */
  readonly keyRotatedAt?: number | null;
  /** Of an API key: another one after each rotation and each change of its scope. */
  readonly keyState?: string;
};

export type CallerSession = {
  readonly kind: 'web' | 'desktop';
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
};

/** The caller of a route that asks nobody to sign in. */
export const NOBODY: Caller = {
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

/** When what the caller came with ends, in milliseconds since the epoch; undefined when it does not. */
export function expiryOf(caller: Caller): number | undefined {
  return caller.session?.expiresAt ?? caller.keyExpiresAt ?? undefined;
}
