import type { ActionName } from '../policy/model/action.ts';
import type { Identity } from '../policy/model/identity.ts';
import type { Selector } from '../policy/model/resource.ts';
import { API_KEY_PREFIX, areEqual, digestOf } from '../secret/secret.ts';

/** The most that a key may do. A scope cannot deny, and grants nothing that the key's creator lacks. */
export type ApiKeyScope = { readonly rules: readonly ApiKeyScopeRule[] };
export type ApiKeyScopeRule = { readonly actions: readonly ActionName[]; readonly resources: readonly Selector[] };

/** The creator's identity as it was when the key was made. */
export type ApiKeyCreator = Identity & { readonly name: string };

/**
 * An API key's record. Times are milliseconds since the epoch.
 *
 * @see spec "API key"
 */
export type ApiKey = {
  /** Public id: safe to show and to log. */
  readonly id: string;
  readonly description: string;
  readonly scope: ApiKeyScope;
  readonly expiresAt: number | null;
  readonly creator: ApiKeyCreator;
  readonly createdAt: number;
  readonly rotatedAt: number | null;
  /** Rounded to the minute. */
  readonly lastUsedAt: number | null;
};

/** The parts of a credential. The id contains no `_`; the secret may. */
export type ApiKeyCredential = { readonly id: string; readonly secret: string };

const CREDENTIAL = new RegExp(`^${API_KEY_PREFIX}([0-9a-f]{24})_([A-Za-z0-9_-]{43})$`);

export function formatApiKeyCredential({ id, secret }: ApiKeyCredential): string {
  return `${API_KEY_PREFIX}${id}_${secret}`;
}

/** The parts of a credential; undefined when it does not have exactly the form of {@link formatApiKeyCredential}. */
export function parseApiKeyCredential(credential: string): ApiKeyCredential | undefined {
  const match = CREDENTIAL.exec(credential);
  return match === null ? undefined : { id: match[1]!, secret: match[2]! };
}

/** The SHA-256 of the secret, which is stored in its place. */
export function verifierOf(secret: string): Uint8Array {
  return Buffer.from(digestOf(secret), 'base64url');
}

/** Whether the secret belongs to the verifier, compared in constant time. */
export function matchesVerifier(secret: string, verifier: Uint8Array): boolean {
  return areEqual(verifierOf(secret), verifier);
}
