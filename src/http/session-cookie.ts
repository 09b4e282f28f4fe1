import type { NextFunction, Request, RequestHandler, Response } from 'express';
import expressSession, { Store, type SessionData } from 'express-session';
import { SESSION_COOKIE, sessionCookieOf } from '../access/credentials.ts';
import { verifyCookie } from '../access/identify.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Sessions } from '../session/sessions.ts';

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
 * The `svc_session` cookie: express-session signs and sets it where a session begins.
 *
 * Every other request is identified by `access/identify` from the signed value alone. What express-session would do beyond the cookie
 * is kept from it: its store here never writes, so no late save can bring a signed-out session back, it has no `touch`, so expiry
 * cannot slide, and it emits no `disconnect`, so a failing store is an error and not a missing session.
 */
export class SessionCookie {
  readonly #options: SessionCookieOptions;
  readonly #middleware: RequestHandler;
  readonly #issued = new WeakMap<Request, string>();

  constructor(options: SessionCookieOptions) {
    this.#options = options;
    this.#middleware = expressSession({
      name: SESSION_COOKIE,
      secret: [...options.secrets],
      store: new ReadOnlyStore(options.sessions),
      resave: false,
      saveUninitialized: false,
      rolling: false,
      genid: (req) => this.#issued.get(req) ?? '',
      cookie: { httpOnly: true, sameSite: 'lax', secure: options.secure, path: options.path, maxAge: options.ttlSeconds * 1000 },
    });
  }

  /** Sets the cookie for a session that was just started. */
  async issue(req: Request, res: Response, credential: string): Promise<void> {
    this.#issued.set(req, credential);
    // The public origin decides whether the cookie is Secure. express-session looks at the connection, which behind a proxy is plain, and would say nothing and set none.
    if (this.#options.secure) Object.defineProperty(req, 'secure', { value: true });
    // A cookie that the browser still holds is not looked at: the new session has a new id.
    delete req.headers.cookie;
    await new Promise<void>((resolve, reject) => {
      const next: NextFunction = (error?: unknown) => (error === undefined ? resolve() : reject(asError(error)));
      void this.#middleware(req, res, next);
    });
    // A changed session is one that express-session sets a cookie for.
    Object.assign(req.session, { issued: true });
    await new Promise<void>((resolve, reject) => {
      req.session.save((error?: unknown) => (error === undefined || error === null ? resolve() : reject(asError(error))));
    });
  }

  clear(res: Response): void {
    res.clearCookie(SESSION_COOKIE, { httpOnly: true, sameSite: 'lax', secure: this.#options.secure, path: this.#options.path });
  }

  /** The credential in the request's cookie, or undefined when there is none that we signed. */
  credentialOf(req: Request): string | undefined {
    const value = sessionCookieOf(req.headers);
    return value === undefined ? undefined : verifyCookie(value, this.#options.secrets);
  }
}

class ReadOnlyStore extends Store {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    super();
    this.#sessions = sessions;
  }

  override get(_id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    done(null, null);
  }

  /** Agrees when the session stands. */
  override set(id: string, _session: SessionData, done?: (error?: unknown) => void): void {
    this.#sessions.find(id).then(
      (found) => done?.(found === undefined ? new SvcError('session_store_unavailable', { detail: 'the session could not be saved' }) : undefined),
      (error: unknown) => done?.(error),
    );
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.#sessions.end(id).then(
      () => done?.(),
      (error: unknown) => done?.(error),
    );
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
