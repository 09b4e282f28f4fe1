import { Keys, type KeysOptions, type NewCredential } from '../key/keys.ts';
import type { Key } from '../key/key.ts';
import { newPublicId, newSecret } from '../secret/secret.ts';
import { API_KEYS, formatApiKeyCredential, matchesVerifier, parseApiKeyCredential, verifierOf } from './api-key.ts';

/** The API keys, which authenticate by a bearer credential. */
export class ApiKeys extends Keys {
  constructor(options: KeysOptions) {
    super(API_KEYS, options);
  }

  /**
   * The key of a credential; undefined when the credential is malformed, unknown, rotated, revoked or expired, or its creator is suspended, without telling
   * which. It is looked up in the store each time, so that a change by another process takes effect at once.
   */
  async authenticate(credential: string): Promise<Key | undefined> {
    const parts = parseApiKeyCredential(credential);
    if (parts === undefined) return undefined;
    const stored = await this.store.find(parts.id);
    if (stored === undefined || !matchesVerifier(parts.secret, stored.verifier) || !this.isActive(stored))
      return undefined;
    this.noteUse(stored.key);
    return stored.key;
  }

  protected newId(): string {
    return newPublicId();
  }

  protected newCredential(id: string): NewCredential {
    const secret = newSecret();
    return { credential: formatApiKeyCredential({ id, secret }), verifier: verifierOf(secret) };
  }
}
