import type { ExpiringEntries } from '../state/expiring-entries.ts';
import { digestOf } from '../secret/secret.ts';
import { loginDigest } from './login-name.ts';
import type { LoginName, ProviderLogin } from './session.ts';

/** A sign-in is finished within 10 minutes, and its desktop code is exchanged within one more minute. */
const REMEMBERED_MS = 660_000;

type Entries = Pick<ExpiringEntries, 'get' | 'put' | 'raise' | 'largest'>;

/** A logout that the identity provider reports. */
export type ProviderLogout = {
  readonly login: LoginName;
  /** Seconds since the epoch, by the provider's clock. */
  readonly at: number;
  /** The id of the logout token, which is accepted once. */
  readonly tokenId: string;
  /** Milliseconds since the epoch, after which the token is refused anyway. */
  readonly until: number;
};

/** A login, and when its ID token was issued, in seconds since the epoch by the provider's clock. */
export type IssuedLogin = ProviderLogin & { readonly issuedAt: number };

/**
 * Remembers logins that the identity provider has ended recently, and the logout tokens that were used. A session that is just being started with such a login
 * is refused.
 *
 * A logout is noted before its sessions are looked up, and a new session is stored before this class is asked, so one of the two always sees the other.
 */
export class EndedLogins {
  readonly #entries: Entries;
  readonly #now: () => number;

  /** @param options - `now` gives milliseconds since the epoch. */
  constructor(options: { readonly entries: Entries; readonly now: () => number }) {
    this.#entries = options.entries;
    this.#now = options.now;
  }

  /** Notes a logout. A delayed token does not replace a later one, also when both arrive at once. */
  async note({ login, at }: ProviderLogout): Promise<void> {
    for (const place of placesOf(login)) await this.#entries.raise(place, at, this.#now() + REMEMBERED_MS);
  }

  /**
   * Whether the login has ended. A session at the provider never comes back. A person may sign in again, so for a logout of the person a later ID token is
   * accepted.
   */
  async include(issuer: string, { sub, sid, issuedAt }: IssuedLogin): Promise<boolean> {
    const noted = (place: string) => this.#entries.largest(place);
    if (sid !== undefined)
      for (const login of [
        { issuer, sid, sub },
        { issuer, sid },
      ])
        if ((await noted(placeOf(login))) !== undefined) return true;
    for (const place of [placeOf({ issuer, sub }), ...(sid === undefined ? [placeWithoutSid(issuer, sub)] : [])])
      if (issuedAt <= ((await noted(place)) ?? -Infinity)) return true;
    return false;
  }

  async wasUsed(logout: ProviderLogout): Promise<boolean> {
    return (await this.#entries.get(tokenPlaceOf(logout))) !== undefined;
  }

  /** Refuses the token from now on. */
  use(logout: ProviderLogout): Promise<void> {
    return this.#entries.put(tokenPlaceOf(logout), '', logout.until);
  }
}

function tokenPlaceOf({ login: { issuer }, tokenId }: ProviderLogout): string {
  return `logout-token:${digestOf(JSON.stringify([issuer, tokenId]))}`;
}

/** A logout of a session of a person does not count for another person. */
function placeOf(login: LoginName): string {
  const of = login.sid === undefined || login.sub === undefined ? '' : `:${digestOf(login.sub)}`;
  return `ended-login:${loginDigest(login)}${of}`;
}

/** The place for the logins of a person that have no `sid`. */
function placeWithoutSid(issuer: string, sub: string): string {
  return `${placeOf({ issuer, sub })}:without-sid`;
}

/** Where a logout is noted: one that names a session and a person ends also the person's logins that have no `sid`. */
function placesOf(login: LoginName): string[] {
  const { issuer, sid, sub } = login;
  return [placeOf(login), ...(sid === undefined || sub === undefined ? [] : [placeWithoutSid(issuer, sub)])];
}
