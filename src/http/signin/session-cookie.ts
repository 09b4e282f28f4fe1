import type { NextFunction, Request, RequestHandler, Response } from 'express';
import expressSession, { Store, type SessionData } from 'express-session';
import { SESSION_COOKIE, sessionCookiesOf } from '../../access/credentials.ts';
import { verifyCookie } from '../../access/identify.ts';
import { SvcError } from '../../errors/svc-error.ts';
import { newSecret } from '../../secret/secret.ts';
import type { Session, StoredSession } from '../../session/session.ts';
import type { SessionRequest, Sessions } from '../../session/sessions.ts';

declare module 'express-session' {
  interface SessionData {
    /** The person whose session is about to begin; deleted when it has begun. */
    person?: Omit<SessionRequest, 'kind'>;
  }
}

export type SessionCookieOptions = {
  readonly sessions: Sessions;
  /** The first secret signs; every secret verifies. */
  readonly secrets: readonly string[];
  /** Whether the public origin uses HTTPS. express-session then sets a cookie only if `req.secure` says the same. */
  readonly secure: boolean;
  /** The base path, or `/`. */
  readonly path: string;
  readonly ttlSeconds: number;
};

/**
 * The `svc_session` cookie. express-session reads, signs and sets it when a browser's session begins.
 *
 * Every other request is identified by `access/identify` from the signed value alone: express-session would parse each cookie twice, hash the session and wrap
 * the answer, which costs more than the rest of such a request.
 */
export class SessionCookie {
  readonly #options: SessionCookieOptions;
  #secrets: readonly string[];
  #middleware: RequestHandler;

  constructor(options: SessionCookieOptions) {
    this.#options = options;
    this.#secrets = options.secrets;
    this.#middleware = this.#signedBy(options.secrets);
  }

  /** Signs and verifies cookies with other secrets from now on. */
  replaceSecrets(secrets: readonly string[]): void {
    this.#secrets = secrets;
    this.#middleware = this.#signedBy(secrets);
  }

  /**
   * Begins a session under a new credential. All previous sessions of the browser end.
   *
   * @throws {SvcError} `session_capacity`, `session_store_unavailable`
   */
  async begin(req: Request, res: Response, person: Omit<SessionRequest, 'kind'>): Promise<Session> {
    await done((next) => void this.#middleware(req, res, next as NextFunction));
    try {
      await this.#endAll(req, () => undefined);
      await done((next) => req.session.regenerate(next));
      req.session.person = person;
      await done((next) => req.session.save(next));
      const begun = await this.#options.sessions.find(req.sessionID);
      if (begun === undefined)
        throw new SvcError('session_store_unavailable', { detail: 'the session could not be saved' });
      return begun;
    } catch (error) {
      // Otherwise express-session would set the cookie of a session that never began.
      req.session.destroy(() => undefined);
      throw error;
    }
  }

  /** Ends the session that this request began, and sets no cookie. */
  async takeBack(req: Request): Promise<void> {
    await done((next) => req.session.destroy(next));
  }

  /** Ends all sessions of the browser, and then clears the cookie: without it, nobody could try again when the store fails. */
  async end(req: Request, res: Response, onEnd: (session: StoredSession) => void): Promise<void> {
    await this.#endAll(req, onEnd);
    res.clearCookie(SESSION_COOKIE, this.#attributes);
  }

  /** A second cookie, which another host may have planted, keeps no session alive. */
  async #endAll(req: Request, onEnd: (session: StoredSession) => void): Promise<void> {
    for (const cookie of sessionCookiesOf(req.headers)) {
      const credential = verifyCookie(cookie, this.#secrets);
      const ended = credential === undefined ? undefined : await this.#options.sessions.end(credential);
      if (ended !== undefined) onEnd(ended);
    }
  }

  #signedBy(secrets: readonly string[]): RequestHandler {
    const { sessions, ttlSeconds } = this.#options;
    return expressSession({
      name: SESSION_COOKIE,
      secret: [...secrets],
      store: new SessionsAsStore(sessions),
      resave: false,
      saveUninitialized: false,
      genid: newSecret,
      cookie: { ...this.#attributes, maxAge: ttlSeconds * 1000 },
    });
  }

  get #attributes() {
    return { httpOnly: true, sameSite: 'lax', secure: this.#options.secure, path: this.#options.path } as const;
  }
}

/**
 * Adapts {@link Sessions} to express-session. It has no `touch`, so expiry cannot slide. It emits no `disconnect`, so a failing store is an error and not a
 * missing session.
 */
class SessionsAsStore extends Store {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    super();
    this.#sessions = sessions;
  }

  override get(id: string, tell: (error: unknown, session?: SessionData | null) => void): void {
    answer(tell, async () => {
      const found = await this.#sessions.find(id);
      return found === undefined
        ? null
        : { cookie: { originalMaxAge: found.expiresAt - found.startedAt, expires: new Date(found.expiresAt) } };
    });
  }

  /** Begins a session once. express-session saves it again at the end of the answer, which must not bring back a session that has ended in the meantime. */
  override set(id: string, session: SessionData, tell: (error?: unknown) => void): void {
    const { person } = session;
    delete session.person;
    answer(tell, async () => (person === undefined ? undefined : this.#sessions.start({ kind: 'web', ...person }, id)));
  }

  override destroy(id: string, tell: (error?: unknown) => void): void {
    answer(tell, () => this.#sessions.end(id));
  }
}

/** Passes the outcome of a promise to a callback. */
function answer<T>(tell: (error: unknown, value?: T) => void, ask: () => Promise<T>): void {
  ask().then((value) => tell(null, value), tell);
}

/** Returns a promise for the outcome that a callback receives. */
function done(run: (next: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    run((error) =>
      error === undefined || error === null
        ? resolve()
        : reject(error instanceof Error ? error : new Error('express-session failed', { cause: error })),
    ),
  );
}
