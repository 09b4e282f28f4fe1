import { Sealer, type Sealed } from '../secret/sealer.ts';
import { decodeLogin, encodeLogin, type PendingLogin } from './pending-login.ts';

/** A pending login with the values that are derived from its id. */
export type SealedLogin = {
  readonly id: string;
  /** The `state` parameter: the login itself, sealed. */
  readonly state: string;
  /** PKCE `code_verifier`. */
  readonly verifier: string;
  readonly nonce: string;
  readonly login: PendingLogin;
};

/**
 * Seals pending logins into the `state` parameter, so that a visit to the login route uses no memory and displaces no other login.
 *
 * PKCE verifier and nonce are derived from the id of the sealed text under separate labels. Without a sealing key, none of them can be computed.
 */
export class Seal {
  readonly #sealer: Sealer;
  readonly #browsers: Sealer;

  /** @param keys - 32 bytes each. The first key seals; all keys open. */
  constructor(keys: readonly Buffer[]) {
    this.#sealer = new Sealer(keys, 'svc login 1');
    this.#browsers = new Sealer(keys, 'svc login browser');
  }

  /** A random secret for the `svc_login` cookie, which only this service can make: 43 characters of base64url. */
  newBrowserSecret(): string {
    return this.#browsers.seal(Buffer.alloc(0)).text;
  }

  /** Whether this service made the value. Values that somebody planted are not used. */
  madeBrowserSecret(value: string): boolean {
    return this.#browsers.open(value)?.content.length === 0;
  }

  seal(login: PendingLogin): SealedLogin {
    return known(this.#sealer.seal(Buffer.from(encodeLogin(login))), login);
  }

  /** Undefined unless one of the keys sealed exactly this text. */
  open(state: string): SealedLogin | undefined {
    const sealed = this.#sealer.open(state);
    return sealed === undefined ? undefined : known(sealed, decodeLogin(sealed.content.toString('utf8')));
  }
}

function known({ id, text, derive }: Sealed, login: PendingLogin): SealedLogin {
  const secret = (label: string): string => derive(label).toString('base64url');
  return { id: id.toString('base64url'), state: text, verifier: secret('verifier'), nonce: secret('nonce'), login };
}
