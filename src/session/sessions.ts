import { isPromise } from 'node:util/types';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/identity.ts';
import { withDeadline } from '../bounds/deadline.ts';
import { LastUse } from '../state/last-use.ts';
import { digestOf, newPublicId, newSecret } from '../secret/secret.ts';
import type { EndedLogins, IssuedLogin, ProviderLogout } from './ended-logins.ts';
import type { SessionStore } from './session-store.ts';
import type { Session, SessionKind, StoredSession } from './session.ts';

/** How long a store may take before it counts as failing. */
export const STORE_DEADLINE_MS = 2_000;

export type SessionsOptions = {
  readonly store: SessionStore;
  readonly ttlSeconds: number;
  /** Whether someone has the admin role. */
  readonly isAdmin: (identity: Identity) => boolean;
  /** Undefined without an identity provider. */
  readonly endedLogins?: EndedLogins | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

export type SessionRequest = {
  readonly kind: SessionKind;
  readonly identity: Identity;
  readonly name: string;
  /** Empty for local users. */
  readonly idToken: string;
  /** The client's address, behind the trusted proxies. */
  readonly address: string | undefined;
  /** Undefined for local users. */
  readonly login?: IssuedLogin | undefined;
};

export type StartedSession = { readonly credential: string; readonly session: Session };

/**
 * Starts, finds and ends sessions, whatever store they live in.
 *
 * Every method throws `session_store_unavailable` when the store fails or takes longer than {@link STORE_DEADLINE_MS}: a store that
 * cannot answer is never "signed out".
 *
 * @see spec "Session"
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #ttlMs: number;
  readonly #isAdmin: (identity: Identity) => boolean;
  readonly #endedLogins: EndedLogins | undefined;
  readonly #now: () => number;
  readonly #lastUse: LastUse;

  constructor(options: SessionsOptions) {
    this.#store = options.store;
    this.#ttlMs = options.ttlSeconds * 1000;
    this.#isAdmin = options.isAdmin;
    this.#endedLogins = options.endedLogins;
    this.#now = options.now;
    this.#lastUse = new LastUse((uses) => this.#store.recordUses(uses), options.now);
    this.#store.onRemoved((id) => this.#lastUse.forget(id));
  }

  /**
   * Starts a session under a new credential, which is returned here and never again. When the person has too many sessions, the oldest ends.
   *
   * @param credential - by default a new one.
   * @throws {SvcError} `session_capacity`: the store is full of active sessions. `login_rejected`: the provider has ended the login meanwhile.
   */
  async start(request: SessionRequest, credential = newSecret()): Promise<StartedSession> {
    const { login } = request;
    const startedAt = this.#now();
    const session: Session = {
      id: newPublicId(),
      kind: request.kind,
      identity: { issuer: request.identity.issuer, subject: request.identity.subject, groups: [...request.identity.groups] },
      name: request.name,
      startedAt,
      expiresAt: startedAt + this.#ttlMs,
      address: request.address,
      login: login && { sub: login.sub, sid: login.sid },
    };
    await this.#ask(() => this.#store.insert(digestOf(credential), { ...session, idToken: request.idToken }, { isAdmin: this.#isAdmin(session.identity) }));
    if (login !== undefined && (await this.#ask(async () => this.#endedLogins?.include(session.identity.issuer, login)))) {
      await this.end(credential);
      throw new SvcError('login_rejected', { detail: 'the identity provider has ended this sign-in meanwhile; sign in again' });
    }
    return { credential, session };
  }

  find(credential: string): Promise<Session | undefined> {
    return this.findByDigest(digestOf(credential));
  }

  /** Finds a session by the digest of its credential, and notes the use. Runs on every request. */
  findByDigest(digest: string): Promise<Session | undefined> {
    try {
      const found = this.#store.find(digest);
      return isPromise(found) ? this.#ask(() => found).then((session) => this.#used(session)) : Promise.resolve(this.#used(found));
    } catch (error) {
      return Promise.reject(unavailable(error));
    }
  }

  /** Ends a session and returns it with its ID token; undefined when there was none. */
  end(credential: string): Promise<StoredSession | undefined> {
    return this.endByDigest(digestOf(credential));
  }

  endByDigest(digest: string): Promise<StoredSession | undefined> {
    return this.#ask(() => this.#store.remove(digest));
  }

  /** Ends a session by its public id, whoever holds its credential. */
  endById(id: string): Promise<Session | undefined> {
    return this.#ask(() => this.#store.removeById(id));
  }

  /**
   * Lets no further session begin with a login that the provider has ended.
   *
   * @returns the public ids of those that began with it, which are to be ended; undefined when the token was used before.
   */
  async closeLogin(logout: ProviderLogout): Promise<string[] | undefined> {
    if (await this.#ask(async () => this.#endedLogins?.wasUsed(logout))) return undefined;
    await this.#ask(async () => this.#endedLogins?.note(logout));
    return this.#ask(() => this.#store.idsOf(logout.login));
  }

  /** Every session of the login has ended: the token is not to be used again. */
  async loginClosed(logout: ProviderLogout): Promise<void> {
    await this.#ask(async () => this.#endedLogins?.use(logout));
  }

  /** Active sessions, those that started last first, with their last use. */
  async list(): Promise<Session[]> {
    const sessions = await this.#ask(() => this.#store.list());
    return sessions.map((session) => ({ ...session, lastUsedAt: this.#lastUse.latest(session.id, session.lastUsedAt) }));
  }

  /** How many sessions are active. The store may have to count them. */
  count(): Promise<number> {
    return this.#ask(() => this.#store.count());
  }

  /** Calls back with the public id of each session that is ended, on whichever instance. Expiry has no event: it is known from the start. */
  onEnded(listener: (id: string) => void): void {
    this.#store.onRemoved(listener);
  }

  /** Calls back when ends on other instances may have been missed. Look up again the sessions for which you keep sockets or transfers open. */
  onEndsMissed(listener: () => void): void {
    this.#store.onRemovalsMissed(listener);
  }

  /** Resolves when the store can be used. */
  check(): Promise<void> {
    return this.#ask(() => this.#store.check());
  }

  /** Writes the noted times of last use. Does not close the store. */
  close(): Promise<void> {
    return this.#lastUse.close();
  }

  #used(session: Session | undefined): Session | undefined {
    if (session !== undefined) this.#lastUse.note(session.id, session.lastUsedAt ?? session.startedAt);
    return session;
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(question(), STORE_DEADLINE_MS, () => new Error(`the session store gave no answer within ${STORE_DEADLINE_MS} ms`));
    } catch (error) {
      throw codeOf(error) === 'session_capacity' ? error : unavailable(error);
    }
  }
}

function unavailable(cause: unknown): SvcError {
  return new SvcError('session_store_unavailable', { detail: 'the session store gave no answer; try again in a moment', retryAfterSeconds: 2, cause });
}
