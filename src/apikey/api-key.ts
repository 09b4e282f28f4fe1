import type { KeyKind } from '../key/key.ts';
import { API_KEY_PREFIX, areEqual, digestOf } from '../secret/secret.ts';

export const API_KEYS: KeyKind = {
  table: 'api_keys',
  name: 'API key',
  limits: { capacity: 'auth.api_keys.capacity', perSubject: 'auth.api_keys.per_subject' },
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
