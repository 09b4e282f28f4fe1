import { DESKTOP_CLIENT_ID } from './desktop-request.ts';
import type { DesktopRequest } from './pending-login.ts';
import type { SignedInPerson } from './person.ts';
import { areEqual, digestOf, newSecret } from '../secret/secret.ts';

export const CODE_LIFETIME_SECONDS = 60;

/** How long a used code is remembered, so that using it again still revokes its session. */
const REMEMBERED_SECONDS = 600;

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** The store of codes, which all instances share. Times are milliseconds since the epoch. Expired entries are not returned. */
export interface CodeEntries {
  /** Stores a value, and replaces an earlier one. */
  put(id: string, value: string, expiresAt: number): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** Atomic: exactly one of several simultaneous callers gets `first`. */
  consume(id: string, expiresAt: number): Promise<'first' | 'replayed'>;
}

type Person = Pick<SignedInPerson, 'identity' | 'name' | 'idToken' | 'login'>;

/** The request for which a code was issued, and the person who signed in. */
export type DesktopGrant = { readonly desktop: DesktopRequest; readonly person: Person };

export type CodeRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly code: string;
  /** PKCE `code_verifier`, 43 to 128 characters. */
  readonly verifier: string;
};

/** Starts and revokes sessions for {@link DesktopCodes}. */
export type SessionMaking<S> = {
  /** Called when a code of this person is used for the first time, whether or not a session follows. */
  asked(person: Person): void;
  start(person: Person): Promise<S>;
  /** The session's public id. */
  idOf(session: S): string;
  revoke(id: string): Promise<void>;
};

type StoredCode = { readonly grant: DesktopGrant; readonly expiresAt: number } | { readonly session: string };

/**
 * The codes that a desktop client exchanges for a session credential.
 *
 * A code can be used once and lives 60 seconds. Only its SHA-256 is stored.
 *
 * @see spec "Pending login and authorization code"; RFC 7636 section 4.6
 */
export class DesktopCodes {
  readonly #entries: CodeEntries;
  readonly #now: () => number;

  constructor(options: { readonly entries: CodeEntries; readonly now: () => number }) {
    this.#entries = options.entries;
    this.#now = options.now;
  }

  async issue(grant: DesktopGrant): Promise<string> {
    const code = newSecret();
    const issuedAt = this.#now();
    const { identity, name, idToken, login } = grant.person;
    const entry: StoredCode = {
      grant: { desktop: grant.desktop, person: { identity, name, idToken, login } },
      expiresAt: issuedAt + CODE_LIFETIME_SECONDS * 1000,
    };
    await this.#entries.put(placeOf(code), JSON.stringify(entry), issuedAt + REMEMBERED_SECONDS * 1000);
    return code;
  }

  /**
   * Exchanges a code for the session that `sessions.start` makes. Any attempt uses up the code; a second attempt revokes the session.
   *
   * @returns undefined: expired, reused or mismatched; the cases are not told apart (RFC 6749 `invalid_grant`).
   */
  async redeem<S>(request: CodeRequest, sessions: SessionMaking<S>): Promise<S | undefined> {
    const place = placeOf(request.code);
    const entry = await this.#read(place);
    if (entry === undefined) return undefined;
    const until = this.#now() + REMEMBERED_SECONDS * 1000;
    if ((await this.#entries.consume(`${place}:used`, until)) === 'replayed') {
      await this.#revokeSessionOf(place, until, sessions);
      return undefined;
    }
    if (!('grant' in entry)) return undefined;
    sessions.asked(entry.grant.person);
    if (entry.expiresAt <= this.#now() || !fits(request, entry.grant.desktop)) return undefined;
    const session = await sessions.start(entry.grant.person);
    await this.#entries.put(place, JSON.stringify({ session: sessions.idOf(session) } satisfies StoredCode), until);
    // A second attempt in the meantime found no session to revoke and left this entry instead.
    if ((await this.#entries.get(`${place}:reused`)) === undefined) return session;
    await sessions.revoke(sessions.idOf(session));
    return undefined;
  }

  /**
   * Stores the note before it looks for the session. The first attempt stores the session before it looks for the note, so one of the two always sees the
   * other.
   */
  async #revokeSessionOf<S>(place: string, until: number, sessions: SessionMaking<S>): Promise<void> {
    await this.#entries.put(`${place}:reused`, '', until);
    const entry = await this.#read(place);
    if (entry !== undefined && 'session' in entry) await sessions.revoke(entry.session);
  }

  async #read(place: string): Promise<StoredCode | undefined> {
    const text = await this.#entries.get(place);
    return text === undefined ? undefined : (JSON.parse(text) as StoredCode);
  }
}

function fits(request: CodeRequest, desktop: DesktopRequest): boolean {
  return (
    request.clientId === DESKTOP_CLIENT_ID &&
    request.redirectUri === desktop.redirectUri &&
    proves(request.verifier, desktop.codeChallenge)
  );
}

function proves(verifier: string, challenge: string): boolean {
  return VERIFIER.test(verifier) && areEqual(digestOf(verifier), challenge);
}

function placeOf(code: string): string {
  return `desktop-code:${digestOf(code)}`;
}
