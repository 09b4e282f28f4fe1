import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '../config/read/substitute.ts';
import type { ApiKeyScopeWire } from '../wire/api-key.ts';
import type { Connection } from './connection.ts';
import { Credentials } from './credentials.ts';
import { oneAtATime } from './process-lock.ts';
import { stateFolder } from './user-folders.ts';

/** A key of the S3 endpoint. `expiresAt` is RFC 3339. */
export type ShortLivedKey = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly expiresAt: string;
};

export type KeyWish = { readonly provider: string; readonly scope: ApiKeyScopeWire | undefined };

type Kept = Readonly<Record<string, ShortLivedKey>>;

/** A key this close to its end is replaced. */
const REPLACED_BEFORE_MS = 5 * 60_000;

/** The keys that `svc s3 credential-process` has made with a stored sign-in. They are kept where the sign-in is, and never given to anybody who signs in later. */
export class ShortLivedKeys {
  readonly #connection: Connection;
  readonly #credentials: Credentials;
  readonly #name: string;
  readonly #lock: string;

  constructor(env: Environment, connection: Connection) {
    this.#connection = connection;
    this.#credentials = new Credentials(env);
    this.#name = `S3 keys of ${connection.server}`;
    this.#lock = join(stateFolder(env), 's3-keys.lock');
  }

  /** The kept key for this wish, otherwise a new one. Of many processes that ask at once, one makes it. */
  async obtain(wish: KeyWish, make: () => Promise<ShortLivedKey>): Promise<ShortLivedKey> {
    const name = this.#nameOf(wish);
    const kept = lasting((await this.#read())[name]);
    if (kept !== undefined) return kept;
    return oneAtATime(this.#lock, async () => {
      const others = await this.#read();
      const made = lasting(others[name]);
      if (made !== undefined) return made;
      const key = await make();
      await this.#credentials.write(this.#name, JSON.stringify({ ...current(others), [name]: key }));
      return key;
    });
  }

  /** Forgets every key, and revokes those that still work. One that cannot be revoked ends within the hour. */
  async forget(): Promise<void> {
    const kept = await this.#read();
    if (Object.keys(kept).length === 0) return;
    const revoked = Object.values(current(kept)).map(({ accessKeyId }) =>
      this.#connection.call('s3Key/revoke', { accessKeyId }),
    );
    await Promise.allSettled(revoked);
    await this.#credentials.remove(this.#name);
  }

  /** Bound to the sign-in, of which it reveals nothing. */
  #nameOf({ provider, scope }: KeyWish): string {
    const { credential = '' } = this.#connection;
    return createHash('sha256')
      .update(JSON.stringify([credential, provider, scope ?? null]))
      .digest('base64url');
  }

  async #read(): Promise<Kept> {
    try {
      return JSON.parse((await this.#credentials.read(this.#name)) ?? '{}') as Kept;
    } catch {
      return {};
    }
  }
}

function lasting(key: ShortLivedKey | undefined): ShortLivedKey | undefined {
  return key !== undefined && Date.parse(key.expiresAt) - REPLACED_BEFORE_MS > Date.now() ? key : undefined;
}

function current(kept: Kept): Kept {
  return Object.fromEntries(Object.entries(kept).filter(([, { expiresAt }]) => Date.parse(expiresAt) > Date.now()));
}
