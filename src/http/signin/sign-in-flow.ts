import type { CookieOptions, Request, Response } from 'express';
import { bearerOf, readCredentials } from '../../access/credentials.ts';
import type { Identify } from '../../access/identify.ts';
import { SvcError, codeOf } from '../../errors/svc-error.ts';
import { personOf } from '../../access/who.ts';
import type { Trail } from '../../audit/trail.ts';
import type { Logger } from '../../log/logger.ts';
import type { Session, StoredSession } from '../../session/session.ts';
import type { Sessions } from '../../session/sessions.ts';
import { desktopCodeUrl, desktopFailureUrl } from '../../signin/desktop-request.ts';
import type { DesktopCodes, DesktopGrant } from '../../signin/desktop-code.ts';
import type { DesktopRequest } from '../../signin/pending-login.ts';
import type { SignedInPerson } from '../../signin/person.ts';
import { isProviderName } from '../../signin/provider-login.ts';
import { safeReturnPath } from '../../signin/return-to.ts';
import { SignInNotes } from '../../signin/sign-in-notes.ts';
import type { SignInRecords } from '../../signin/sign-in-records.ts';
import type { SignIn } from '../../signin/sign-in.ts';
import { prefersHtml } from '../routing/accept.ts';
import { requestIdOf } from '../routing/request-id.ts';
import { alreadySignedInPage } from '../pages/page.ts';
import type { RouteRequest } from '../routing/route.ts';
import type { Reply } from '../routing/row.ts';
import { LOGIN_COOKIE, loginCookieOf } from './login-cookie.ts';
import type { SessionCookie } from './session-cookie.ts';

const LOGIN_LIFETIME_MS = 600_000;

export type SignInFlowParts = {
  readonly authEnabled: boolean;
  /** Undefined when people are configured as local users, or authentication is off. */
  readonly signIn: SignIn | undefined;
  /** Undefined without an identity provider. */
  readonly records: SignInRecords | undefined;
  readonly sessions: Sessions;
  readonly sessionCookie: SessionCookie;
  readonly desktopCodes: DesktopCodes;
  readonly identify: Identify;
  readonly basePath: string;
  readonly secure: boolean;
  readonly log: Logger;
};

type SignInRequest = Pick<RouteRequest<unknown>, 'req' | 'res' | 'trail'>;

/** Begins, finishes and ends a browser's session, for the routes of both families. */
export class SignInFlow {
  readonly #parts: SignInFlowParts;

  constructor(parts: SignInFlowParts) {
    this.#parts = parts;
  }

  get signIn(): SignIn {
    if (this.#parts.signIn === undefined)
      throw new SvcError('not_found', { detail: 'no identity provider is configured here' });
    return this.#parts.signIn;
  }

  /** Sends the browser to the provider for a desktop client. A failure is reported to the client's loopback redirect. */
  beginDesktop({ req, res, trail }: SignInRequest, desktop: DesktopRequest): Promise<Reply> {
    return this.begin(req, res, { desktop }).catch((error: unknown) =>
      this.#desktopFailed(desktopFailureUrl(desktop, error), error, { res, trail }),
    );
  }

  /** Sends the browser to the provider. The `svc_login` cookie binds the login to the browser. */
  async begin(
    req: Request,
    res: Response,
    options: { readonly returnTo?: string | undefined; readonly desktop?: DesktopRequest },
  ): Promise<Reply> {
    const { url, browserSecret } = await this.signIn.begin({ browserSecret: loginCookieOf(req), ...options });
    res.cookie(LOGIN_COOKIE, browserSecret, { ...this.#cookieOptions(), maxAge: LOGIN_LIFETIME_MS });
    return { redirect: url };
  }

  /** Finishes a sign-in when the provider redirects the browser to the callback. */
  async finish(request: SignInRequest): Promise<Reply | undefined> {
    const { req, res, trail } = request;
    const notes = new SignInNotes();
    const keep = (error?: unknown) =>
      void this.#parts.records?.keep(notes, { id: requestIdOf(res), address: req.ip }, error);
    try {
      const completed = await this.signIn
        .complete({ query: queryOf(req), browserSecret: loginCookieOf(req), notes })
        .finally(() => nameIn(trail, notes));
      if (completed.outcome === 'desktop-failed') {
        keep(completed.error);
        return await this.#desktopFailed(completed.redirectTo, completed.error, request);
      }
      this.#noteGroups(completed.person);
      trail.by({ ...personOf(completed.person), via: completed.outcome === 'desktop' ? 'desktop' : 'web' });
      if (completed.outcome === 'desktop') return await this.sendCode(completed, request, keep);
      const reply = await this.#enter(request, completed);
      keep();
      return reply;
    } catch (error) {
      keep(error);
      if (await this.#isSignedInAgain(req, error)) {
        trail.failed(codeOf(error) ?? 'internal');
        res
          .status(401)
          .type('html')
          .send(alreadySignedInPage(this.withinBase('/')));
        return undefined;
      }
      throw error;
    }
  }

  async #enter(
    request: SignInRequest,
    { person, returnTo }: { readonly person: SignedInPerson; readonly returnTo: string },
  ): Promise<Reply> {
    await this.startWebSession(request, person);
    return { redirect: this.withinBase(returnTo) };
  }

  /** Begins a session under a new credential and sets the cookie. All previous sessions of the browser end. */
  async startWebSession(
    { req, res, trail }: SignInRequest,
    { identity, name, idToken, login }: Pick<SignedInPerson, 'identity' | 'name' | 'idToken' | 'login'>,
  ): Promise<void> {
    await trail.ready();
    noteSession(
      trail,
      await this.#parts.sessionCookie.begin(req, res, { identity, name, idToken, login, address: req.ip }),
    );
    try {
      await trail.write();
    } catch (error) {
      await this.#parts.sessionCookie.takeBack(req);
      throw error;
    }
  }

  /**
   * Ends the sessions of the request, and then clears the cookie.
   *
   * @returns the last one, because a provider takes one ID token; undefined when there was none.
   */
  async end({ req, res, trail }: SignInRequest): Promise<StoredSession | undefined> {
    const { sessions, sessionCookie } = this.#parts;
    const bearer = bearerOf(req.headers);
    let last: StoredSession | undefined;
    const onEnd = (session: StoredSession): void => {
      noteSession(trail, session);
      trail.did({ session: session.id }, personOf(session));
      last = session;
    };
    if (bearer === undefined) await sessionCookie.end(req, res, onEnd);
    else {
      const ended = await sessions.end(bearer);
      if (ended !== undefined) onEnd(ended);
    }
    return last;
  }

  /** The URL at which the browser ends the provider's session too. */
  async endSessionUrl(ended: Pick<StoredSession, 'idToken'> | undefined): Promise<string | undefined> {
    return this.#parts.signIn?.endSessionUrl(ended?.idToken);
  }

  /** A safe path on this origin, below the base path. */
  withinBase(path: string | undefined): string {
    const { basePath } = this.#parts;
    const safe = safeReturnPath(path);
    return safe === basePath || safe.startsWith(`${basePath}/`) ? safe : basePath + safe;
  }

  /**
   * Sends the browser to the loopback listener of a desktop client, with a code for the client.
   *
   * @param keep - is told whether there is a code, or why not.
   */
  async sendCode(
    { desktop, person }: DesktopGrant,
    request: SignInRequest,
    keep?: (error?: unknown) => void,
  ): Promise<Reply> {
    const { trail } = request;
    trail.by({ ...personOf(person), via: 'desktop' });
    try {
      await trail.ready();
      const code = await this.#parts.desktopCodes.issue({ desktop, person });
      await trail.write();
      keep?.();
      return { redirect: desktopCodeUrl(desktop, code) };
    } catch (error) {
      keep?.(error);
      return await this.#desktopFailed(desktopFailureUrl(desktop, error), error, request);
    }
  }

  /** The client, whose person waits for it, is told of the failure also when its line cannot be written. */
  async #desktopFailed(redirect: string, cause: unknown, { res, trail }: Omit<SignInRequest, 'req'>): Promise<Reply> {
    trail.failed(codeOf(cause) ?? 'internal');
    await trail.write()?.catch(() => undefined);
    this.#parts.log.warn('desktop sign-in failed', { cause, requestId: requestIdOf(res) });
    return { redirect };
  }

  /** Logs that the groups claim is missing. The sign-in continues without groups. */
  #noteGroups({ identity, groupsClaim }: SignedInPerson): void {
    if (groupsClaim === undefined || groupsClaim.found) return;
    this.#parts.log.warn(
      `the groups claim \`${groupsClaim.path}\` is missing from the sign-in of \`${identity.subject}\``,
      { claims: groupsClaim.present },
    );
  }

  /** Whether a signed-in person returned to a finished sign-in by the Back button or a bookmark. */
  async #isSignedInAgain(req: Request, error: unknown): Promise<boolean> {
    const code = codeOf(error);
    if ((code !== 'login_replayed' && code !== 'login_invalid') || !prefersHtml(req)) return false;
    return (await this.#parts.identify.byCredentials(readCredentials(req.headers))) !== undefined;
  }

  #cookieOptions(): CookieOptions {
    return {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.#parts.secure,
      path: this.#parts.basePath === '' ? '/' : this.#parts.basePath,
    };
  }
}

/** Tells the audit which person the provider named, even if the sign-in then fails. Invalid subjects are skipped. */
function nameIn(trail: Trail, { issuer, subject, kind = 'web' }: SignInNotes): void {
  if (isProviderName(subject)) trail.by({ issuer, subject, name: '', via: kind });
}

/** Tells the audit whose session began or ended. */
export function noteSession(trail: Trail, session: Session): void {
  trail.by({ ...personOf(session), via: session.kind, credentialId: session.id });
  trail.about({ session: session.id }, personOf(session));
}

/** The raw query string as it arrived. */
export function queryOf(req: Request): string {
  const at = req.url.indexOf('?');
  return at === -1 ? '' : req.url.slice(at + 1);
}
