import type { NextFunction, Request, RequestHandler, Response } from 'express';
import expressSession, { Store, type SessionData } from 'express-session';
import { SESSION_COOKIE } from '../access/credentials.ts';
import { SvcError } from '../errors/svc-error.ts';
import { newCredential } from '../session/credential.ts';
import type { Session, StoredSession } from '../session/session.ts';
import type { SessionRequest, Sessions } from '../session/sessions.ts';

declare module 'express-session' {
  interface SessionData {
    /** Whose session begins; gone once it has begun. */
    person?: Omit<SessionRequest, 'kind'>;
  }
}

export type SessionCookieOptions = {
  readonly sessions: Sessions;
  /** The first signs; all verify. */
  readonly secrets: readonly string[];
  /** The public origin is HTTPS. */
  readonly secure: boolean;
  /** The base path, or `/`. */
  readonly path: string;
  readonly ttlSeconds: number;
};

/**
 * The `svc_session` cookie: express-session reads, signs and sets it where a browser's session begins and ends.
 *
 * Every other request is identified by `access/identify` from the signed value alone: express-session would parse each cookie twice,
 * hash the session and wrap the answer, which costs more than the rest of such a request.
 */
export class SessionCookie {
  readonly #options: SessionCookieOptions;
  readonly #middleware: RequestHandler;

  constructor(options: SessionCookieOptions) {
    this.#options = options;
    this.#middleware = expressSession({
      name: SESSION_COOKIE,
      secret: [...options.secrets],
      store: new SessionsAsStore(options.sessions),
      resave: false,
      saveUninitialized: false,
      genid: newCredential,
      cookie: { ...this.#attributes, maxAge: options.ttlSeconds * 1000 },
    });
  }

  /**
   * Begins a session under a new credential. One that the browser had before is ended.
   *
   * @throws {SvcError} `session_capacity`, `session_store_unavailable`
   */
  async begin(req: Request, res: Response, person: Omit<SessionRequest, 'kind'>): Promise<Session> {
    await this.#open(req, res);
    try {
      await done((next) => req.session.regenerate(next));
      req.session.person = person;
      await done((next) => req.session.save(next));
      const begun = await this.#options.sessions.find(req.sessionID);
      if (begun === undefined) throw new SvcError('session_store_unavailable', { detail: 'the session could not be saved' });
      return begun;
    } catch (error) {
      // Else express-session would set the cookie of a session that never began.
      req.session.destroy(() => undefined);
      throw error;
    }
  }

  /** Ends the browser's session and clears the cookie, whatever the store says: the browser is to forget it. Undefined when there was none. */
  async end(req: Request, res: Response): Promise<StoredSession | undefined> {
    res.clearCookie(SESSION_COOKIE, this.#attributes);
    await this.#open(req, res);
    return this.#options.sessions.end(req.sessionID);
  }

  async #open(req: Request, res: Response): Promise<void> {
    // The public origin decides whether the cookie is Secure. express-session looks at the connection, which behind a proxy is plain, and would say nothing and set none.
    if (this.#options.secure) Object.defineProperty(req, 'secure', { value: true });
    await done((next) => void this.#middleware(req, res, next as NextFunction));
  }

  get #attributes() {
    return { httpOnly: true, sameSite: 'lax', secure: this.#options.secure, path: this.#options.path } as const;
  }
}

/** The sessions as express-session stores them. It has no `touch`, so expiry cannot slide, and it emits no `disconnect`, so a failing store is an error and not a missing session. */
class SessionsAsStore extends Store {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    super();
    this.#sessions = sessions;
  }

  override get(id: string, tell: (error: unknown, session?: SessionData | null) => void): void {
    answer(tell, async () => {
      const found = await this.#sessions.find(id);
      return found === undefined ? null : { cookie: { originalMaxAge: found.expiresAt - found.startedAt, expires: new Date(found.expiresAt) } };
    });
  }

  /** Begins a session, once: express-session saves it again at the end of the answer, and that must not bring a session back which has ended meanwhile. */
  override set(id: string, session: SessionData, tell: (error?: unknown) => void): void {
    const { person } = session;
    delete session.person;
    answer(tell, async () => (person === undefined ? undefined : this.#sessions.start({ kind: 'web', ...person }, id)));
  }

  override destroy(id: string, tell: (error?: unknown) => void): void {
    answer(tell, () => this.#sessions.end(id));
  }
}

/** A promise in the words of callbacks. */
function answer<T>(tell: (error: unknown, value?: T) => void, ask: () => Promise<T>): void {
  ask().then((value) => tell(null, value), tell);
}

/** A callback in the words of promises. */
function done(run: (next: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error === undefined || error === null ? resolve() : reject(error instanceof Error ? error : new Error(String(error))))));
}
