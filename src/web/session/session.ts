import { apiErrorOf, onSessionError, type ApiError } from '../api/api-error.ts';
import { explainToOperator } from '../api/explain-failure.ts';
import { dropPrefetched, WAIT_MS } from '../api/prefetch.ts';
import { answered, service, unreadable } from '../api/client.ts';
import { call } from '../api/rpc.ts';
import { servicePath, SIGN_OUT_PATH } from '../base.ts';
import type { Place } from '../place/place.ts';
import { isSession } from './is-session.ts';
import { SessionSocket } from './session-socket.ts';
import { announce, onAnnouncement } from './tabs.ts';

/** The address of the S3 endpoint, and the region for which tools sign. */
export type S3Endpoint = { readonly endpoint: string; readonly region: string };

/** The signed-in user, and the features of the service. */
export type Account = {
  readonly subject: string;
  readonly name: string;
  readonly issuer: string;
  readonly groups: readonly string[];
  /** False when the service runs without sign-in. */
  readonly authEnabled: boolean;
  /** Whether the user has the admin role. */
  readonly isAdmin: boolean;
  /** Whether API keys are enabled. */
  readonly hasApiKeys: boolean;
  /** Where tools reach the S3 endpoint; null if it is disabled. */
  readonly s3: S3Endpoint | null;
  /** Whether the audit can be queried. */
  readonly hasAudit: boolean;
  /** Whether the service keeps favourite and recent folders; otherwise the browser does. */
  readonly keepsPlaces: boolean;
};

/**
 * - `checking`: the first check is running
 * - `active`: the user is signed in, or sign-in is disabled
 * - `signed-out`: the user was not signed in when the page was opened
 * - `ended`: the session has ended while the page was open; running uploads continue after the next sign-in
 * - `signing-out`: the user is signing out, and the page is about to be left
 * - `unknown`: the check failed; the page hides account data but must not say that the user is signed out
 * - `sign-out-unconfirmed`: the user signed out, and the service did not confirm it
 */
export type SessionState =
  | { readonly status: 'checking' | 'signed-out' | 'signing-out' }
  | { readonly status: 'active' | 'ended'; readonly account: Account }
  | {
      readonly status: 'unknown' | 'sign-out-unconfirmed';
      /** Undefined if the service sent this page in place of an answer. */ readonly error: ApiError | undefined;
    };

/**
 * The last sign-out of the user, here or in another tab. The page is then left when the session ends, instead of offering to sign in again. Each sign-out is an object of its
 * own, so that a check sees whether another one came meanwhile.
 */
let leaving: object | undefined = window.location.pathname === servicePath(SIGN_OUT_PATH.slice(1)) ? {} : undefined;
let state: SessionState = leaving ? { status: 'sign-out-unconfirmed', error: undefined } : { status: 'checking' };
let known: Account | undefined;
let underway: Promise<void> | undefined;
let expiry: number | undefined;
/** When the service has last confirmed the session, on the clock of `performance`. */
let confirmedAt = -Infinity;
const listeners = new Set<() => void>();
const socket = new SessionSocket(lookAgain);

export function sessionState(): SessionState {
  return state;
}

/** An identifier of the user who is or was signed in on this page, or an empty string. */
export function ownerId(): string {
  return 'account' in state ? `${state.account.issuer} ${state.account.subject}` : '';
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener when the service tells that a folder changed. @returns a function that stops this. */
export function watchFolder(place: Place, onChanged: () => void): () => void {
  return socket.watch(place, onChanged);
}

function become(next: SessionState): void {
  state = next;
  if (next.status === 'active' && next.account.authEnabled) socket.open();
  else socket.close();
  for (const listener of listeners) listener();
}

/** Requests the session from the service, and nothing else before its answer. Concurrent calls share one request. */
export function checkSession(): Promise<void> {
  underway ??= check().finally(() => {
    underway = undefined;
  });
  return underway;
}

async function check(): Promise<void> {
  const wasLeaving = leaving;
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    // Some proxies answer once in place of the service, and let the browser keep it.
    const session = await answered(service.GET('/v1/auth/session', { cache: 'reload', signal }));
    if (!isSession(session)) throw unreadable();
    const { subject, name, issuer, groups, expiresAt } = session;
    const { capabilities, s3 } = await call('initialize', {}, signal);
    if (isSigningOut()) return;
    // A sign-out that was announced during this check is still to come. An earlier one has not ended the session.
    if (leaving === wasLeaving) leaving = undefined;
    // A session without expiry means that sign-in is disabled. The issuer does not tell, because local users have none either.
    begin(
      {
        subject,
        name,
        issuer,
        groups,
        authEnabled: expiresAt !== null,
        isAdmin: capabilities.admin,
        hasApiKeys: capabilities.apiKeys,
        s3: capabilities.s3Keys ? s3 : null,
        hasAudit: capabilities.audit,
        keepsPlaces: capabilities.places,
      },
      expiresAt,
    );
  } catch (error) {
    const failure = apiErrorOf(error);
    // What was asked ahead may belong to somebody else when it is needed.
    dropPrefetched();
    if (isSigningOut()) return;
    if (failure.code === 'session_required') end();
    else become({ status: state.status === 'sign-out-unconfirmed' ? state.status : 'unknown', error: failure });
  }
}

function begin(account: Account, expiresAt: string | null): void {
  if (known !== undefined && (known.subject !== account.subject || known.issuer !== account.issuer)) {
    // While the page is being left, the browser does not ask about what is under way on it, which is not this user's.
    become({ status: 'signing-out' });
    window.location.reload();
    return;
  }
  known = account;
  confirmedAt = performance.now();
  window.clearTimeout(expiry);
  if (expiresAt !== null) {
    const left = Date.parse(expiresAt) - Date.now();
    // The session has just been confirmed, so a clock that says that it is over is wrong.
    const wait = left > 0 ? left + 1000 : 60_000;
    expiry = window.setTimeout(() => void checkSession(), Math.min(wait, 2 ** 31 - 1));
  }
  explainToOperator(account.isAdmin);
  become({ status: 'active', account: known });
}

function end(): void {
  window.clearTimeout(expiry);
  // The session ended without the provider, so this route goes on there.
  if (state.status === 'sign-out-unconfirmed') leave(servicePath('api/auth/logout'));
  else if (leaving) leave(servicePath('signed-out'));
  else become(known === undefined ? { status: 'signed-out' } : { status: 'ended', account: known });
}

/** Hides account data at once and leaves the page. */
function leave(url: string): void {
  become({ status: 'signing-out' });
  window.location.replace(url);
}

function isSigningOut(): boolean {
  return state.status === 'signing-out';
}

/** Signs out, also at the identity provider if configured, and leaves the page. If the request fails, the state becomes `sign-out-unconfirmed`. */
export async function signOut(): Promise<void> {
  leaving = {};
  become({ status: 'signing-out' });
  announce('signing-out');
  try {
    const { data } = await service.POST('/v1/auth/logout', { signal: AbortSignal.timeout(WAIT_MS) });
    announce('signed-out');
    leave(data?.endSessionUrl ?? servicePath('signed-out'));
  } catch (error) {
    const failure = apiErrorOf(error);
    // This route also ends a session whose cookie is not the only one of its name, which counts as none here.
    if (failure.code === 'session_required') leave(servicePath('api/auth/logout'));
    else become({ status: 'sign-out-unconfirmed', error: failure });
  }
}

/** Checks the session again, because it may have changed. */
function lookAgain(): void {
  if (isSigningOut() || (state.status === 'checking' && underway === undefined)) return;
  // An answer that is on its way may be older than the change.
  void (underway ?? Promise.resolve()).then(checkSession);
}

onSessionError((error) => {
  if (state.status !== 'active') return;
  if (error.code === 'session_required') end();
  // What the service has just confirmed would be confirmed again, and asked again.
  else if (performance.now() - confirmedAt > 1000) void checkSession();
});
onAnnouncement((what) => {
  if (what !== 'signed-in') leaving = {};
  if (what !== 'signing-out') lookAgain();
});
window.addEventListener('focus', lookAgain);
