import { isPromise } from 'node:util/types';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Identity } from '../policy/model/identity.ts';
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
  /** Whether a person has the admin role. */
  readonly isAdmin: (identity: Identity) => boolean;
  /** Called after each sign-in. When it fails, the sign-in still counts. */
  readonly onStarted?: (identity: Identity) => Promise<void>;
  /** Whether an administrator has suspended a person. */
  readonly isSuspended?: (identity: Identity) => Promise<boolean>;
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
  /** The client's address, as the trusted proxies report it. */
  readonly address: string | undefined;
  /** Undefined for local users. */
  readonly login?: IssuedLogin | undefined;
};

export type StartedSession = { readonly credential: string; readonly session: Session };

/**
 * Starts, finds and ends sessions in any store.
 *
 * Every method throws `session_store_unavailable` when the store fails or takes longer than {@link STORE_DEADLINE_MS}: a failing store must not look like a
 * sign-out.
 *
 * @see spec "Session"
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #lastUse: LastUse;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#lastUse = new LastUse((uses) => options.store.recordUses(uses), options.now);
    options.store.onRemoved((id) => this.#lastUse.forget(id));
  }

  /**
   * Starts a session under a new credential. Only this call returns the credential. When the person has too many sessions, the oldest ends.
   *
   * @param credential - by default a new one.
   * @throws {SvcError} `session_capacity`: the store is full of active sessions. `login_rejected`: the provider has ended the login in the meantime.
   *   `person_suspended`.
   */
  async start(request: SessionRequest, credential = newSecret()): Promise<StartedSession> {
    const { login } = request;
    const startedAt = this.#options.now();
    const session: Session = {
      id: newPublicId(),
      kind: request.kind,
      identity: {
        issuer: request.identity.issuer,
        subject: request.identity.subject,
        groups: [...request.identity.groups],
      },
      name: request.name,
      startedAt,
      expiresAt: startedAt + this.#options.ttlSeconds * 1000,
      address: request.address,
      login: login && { sub: login.sub, sid: login.sid },
    };
    await this.#ask(() =>
      this.#options.store.insert(
        digestOf(credential),
        { ...session, idToken: request.idToken },
        { isAdmin: this.#options.isAdmin(session.identity) },
      ),
    );
    const refusal = await this.#refusalOf(session.identity, login);
    if (refusal !== undefined) {
      await this.end(credential);
      throw refusal;
    }
    await this.#options.onStarted?.(session.identity).catch(() => undefined);
    return { credential, session };
  }

  find(credential: string): Promise<Session | undefined> {
    return this.findByDigest(digestOf(credential));
  }

  /** Finds a session by the digest of its credential, and notes the use. Runs on every request. */
  findByDigest(digest: string): Promise<Session | undefined> {
    try {
      const found = this.#options.store.find(digest);
      return isPromise(found)
        ? this.#ask(() => found).then((session) => this.#used(session))
        : Promise.resolve(this.#used(found));
    } catch (error) {
      return Promise.reject(unavailable(error));
    }
  }

  /** Ends a session and returns it with its ID token; undefined when there was none. */
  end(credential: string): Promise<StoredSession | undefined> {
    return this.endByDigest(digestOf(credential));
  }

  endByDigest(digest: string): Promise<StoredSession | undefined> {
    return this.#ask(() => this.#options.store.remove(digest));
  }

  /** Ends a session by its public id, whoever has its credential. */
  endById(id: string): Promise<Session | undefined> {
    return this.#ask(() => this.#options.store.removeById(id));
  }

  /**
   * Prevents new sessions with a login that the provider has ended.
   *
   * @returns the public ids of the existing sessions of the login, which the caller has to end, and then to throw `fault` when new sessions could not be prevented;
   *   undefined when the token was used before.
   * @throws {SvcError} `invalid_request`: the token names a session of another person.
   */
  async closeLogin(
    logout: ProviderLogout,
  ): Promise<{ readonly ids: readonly string[]; readonly fault: SvcError | undefined } | undefined> {
    if (await this.#ask(async () => this.#options.endedLogins?.wasUsed(logout))) return undefined;
    await this.#idsOf(logout);
    // A store that is full stores no note, but its sessions can end.
    const fault = await this.#ask(async () => this.#options.endedLogins?.note(logout)).then(
      () => undefined,
      (error: unknown) => error as SvcError,
    );
    return { ids: await this.#idsOf(logout), fault };
  }

  /** @throws {SvcError} `invalid_request`: the session that the token names is another person's. */
  async #idsOf({ login }: ProviderLogout): Promise<string[]> {
    const named = await this.#ask(() => this.#options.store.ofLogin(login));
    if (login.sub !== undefined && named.some(({ sub }) => sub !== login.sub)) {
      throw new SvcError('invalid_request', {
        detail: 'the logout token is not valid: its `sid` belongs to another person than its `sub`',
      });
    }
    return named.map(({ id }) => id);
  }

  /** Marks the logout token as used, after every session of the login has ended. */
  async loginClosed(logout: ProviderLogout): Promise<void> {
    await this.#ask(async () => this.#options.endedLogins?.use(logout));
  }

  /** Active sessions with their last use, the latest started first. */
  async list(): Promise<Session[]> {
    const sessions = await this.#ask(() => this.#options.store.list());
    return sessions.map((session) => ({
      ...session,
      lastUsedAt: this.#lastUse.latest(session.id, session.lastUsedAt),
    }));
  }

  /** The number of active sessions. The store may have to count them. */
  count(): Promise<number> {
    return this.#ask(() => this.#options.store.count());
  }

  /** Calls `listener` with the public id of each session that is ended, on any instance. Expiry is not reported, because its time is known from the start. */
  onEnded(listener: (id: string) => void): void {
    this.#options.store.onRemoved(listener);
  }

  /**
   * Calls `listener` when ends on other instances may have been missed. The listener should look up again the sessions whose sockets or transfers it keeps
   * open.
   */
  onEndsMissed(listener: () => void): void {
    this.#options.store.onRemovalsMissed(listener);
  }

  /** Resolves when the store can be used. */
  check(): Promise<void> {
    return this.#ask(() => this.#options.store.check());
  }

  /** Writes the noted times of last use. It does not close the store. */
  close(): Promise<void> {
    return this.#lastUse.close();
  }

  /** Why a person may have no new session. It is asked after the session is stored, and whoever ends all sessions notes the reason before they look for sessions. */
  async #refusalOf(identity: Identity, login: IssuedLogin | undefined): Promise<SvcError | undefined> {
    if (await this.#ask(async () => this.#options.isSuspended?.(identity)))
      return new SvcError('person_suspended', {
        detail: 'an administrator has suspended you; ask one of them if you need access',
      });
    if (
      login !== undefined &&
      (await this.#ask(async () => this.#options.endedLogins?.include(identity.issuer, login)))
    )
      return new SvcError('login_rejected', {
        detail: 'the identity provider has ended this sign-in meanwhile; sign in again',
      });
    return undefined;
  }

  #used(session: Session | undefined): Session | undefined {
    if (session !== undefined) this.#lastUse.note(session.id, session.lastUsedAt ?? session.startedAt);
    return session;
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(
        question(),
        STORE_DEADLINE_MS,
        () => new Error(`the session store gave no answer within ${STORE_DEADLINE_MS} ms`),
      );
    } catch (error) {
      throw codeOf(error) === 'session_capacity' ? error : unavailable(error);
    }
  }
}

function unavailable(cause: unknown): SvcError {
  return new SvcError('session_store_unavailable', {
    detail: 'the session store gave no answer; try again in a moment',
    retryAfterSeconds: 2,
    cause,
  });
}
