import type { ExpiringEntries } from '../state/expiring-entries.ts';
import { digestOf } from '../secret/secret.ts';
import { loginColumnOf } from './session-row.ts';
import type { LoginName, ProviderLogin } from './session.ts';

/** A sign-in is finished within 10 minutes, and its desktop code is exchanged within one more. */
const REMEMBERED_MS = 660_000;

/** What the identity provider says that it has ended. */
export type ProviderLogout = {
  readonly login: LoginName;
  /** In seconds since the epoch, by the provider's clock. */
  readonly at: number;
  /** Of the token that said so. It is used once. */
  readonly tokenId: string;
  /** Milliseconds since the epoch, after which the token is refused anyway. */
  readonly until: number;
};

/** A login, and when its ID token was issued, in seconds since the epoch by the provider's clock. */
export type IssuedLogin = ProviderLogin & { readonly issuedAt: number };

/**
 * Logins that the identity provider has ended a short time ago, with the tokens that said so, so that a session which is being begun with one of them just then does not stand.
 *
 * Whoever ends a login notes it before they look for its sessions, and whoever begins a session stores it before they look here: one of the two always sees the other.
 */
export class EndedLogins {
  readonly #entries: Pick<ExpiringEntries, 'get' | 'put'>;
  readonly #now: () => number;

  /** @param options - `now` gives milliseconds since the epoch. */
  constructor(options: { readonly entries: Pick<ExpiringEntries, 'get' | 'put'>; readonly now: () => number }) {
    this.#entries = options.entries;
    this.#now = options.now;
  }

  /** A token that was delayed takes nothing back of a later one. */
  async note({ login, at }: ProviderLogout): Promise<void> {
    const place = placeOf(login);
    const known = Number((await this.#entries.get(place)) ?? at);
    await this.#entries.put(place, String(Math.max(at, known)), this.#now() + REMEMBERED_MS);
  }

  /** A session at the provider never comes back. A person does, so there a later ID token counts. */
  async include(issuer: string, { sub, sid, issuedAt }: IssuedLogin): Promise<boolean> {
    if (sid !== undefined && (await this.#entries.get(placeOf({ issuer, sid }))) !== undefined) return true;
    const at = await this.#entries.get(placeOf({ issuer, sub }));
    return at !== undefined && issuedAt <= Number(at);
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

function placeOf(login: LoginName): string {
  return `ended-login:${digestOf(JSON.stringify([login.issuer, ...loginColumnOf(login)]))}`;
}
