import type { EndSession, Me, Principal } from '../../wire/session.ts';
import { apiErrorOf, type ApiError } from '../api/api-error.ts';
import { onSessionError, request, send } from '../api/request.ts';
import { announce, onAnnouncement } from './tabs.ts';

/** Who is signed in. */
export type Account = {
  readonly subject: string;
  readonly name: string;
  readonly issuer: string;
  readonly groups: readonly string[];
  /** False when the service runs without sign-in. */
  readonly authEnabled: boolean;
};

/**
 * - `checking`: nothing is known yet
 * - `active`: signed in (or sign-in is off)
 * - `signed-out`: not signed in when the page was opened
 * - `ended`: was signed in, and is no longer; the page is kept for after the next sign-in
 * - `unknown`: the check failed; never to be shown as signed out, and account data is hidden
 * - `sign-out-unconfirmed`: signing out was asked for, and the answer was lost
 */
export type SessionState =
  | { readonly status: 'checking' | 'signed-out' }
  | { readonly status: 'active' | 'ended'; readonly account: Account }
  | { readonly status: 'unknown' | 'sign-out-unconfirmed'; readonly error: ApiError };

let state: SessionState = { status: 'checking' };
let known: Account | undefined;
let underway: Promise<void> | undefined;
let expiry: number | undefined;
let signingOut = false;
const listeners = new Set<() => void>();

export function sessionState(): SessionState {
  return state;
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Asks the service who is signed in. Concurrent calls share one check. */
export function checkSession(): Promise<void> {
  underway ??= check().finally(() => {
    underway = undefined;
  });
  return underway;
}

async function check(): Promise<void> {
  try {
    const me = await request<Me>(['api', 'auth', 'me']);
    if (me.auth_enabled && !me.authenticated) {
      end();
      return;
    }
    const principal = await request<Principal>(['v1', 'auth', 'session']);
    begin({ ...principal, authEnabled: me.auth_enabled }, principal.expiresAt);
  } catch (error) {
    const failure = apiErrorOf(error);
    if (failure.code === 'session_required') end();
    else become({ status: state.status === 'sign-out-unconfirmed' ? state.status : 'unknown', error: failure });
  }
}

function begin({ subject, name, issuer, groups, authEnabled }: Account, expiresAt: string | null): void {
  if (known !== undefined && (known.subject !== subject || known.issuer !== issuer)) {
    window.location.reload();
    return;
  }
  known = { subject, name, issuer, groups, authEnabled };
  window.clearTimeout(expiry);
  if (expiresAt !== null) {
    const wait = Math.max(Date.parse(expiresAt) - Date.now(), 0) + 1000;
    expiry = window.setTimeout(() => void checkSession(), Math.min(wait, 2 ** 31 - 1));
  }
  become({ status: 'active', account: known });
}

function end(): void {
  window.clearTimeout(expiry);
  become(known === undefined ? { status: 'signed-out' } : { status: 'ended', account: known });
}

/** Resolves as soon as somebody is signed in: at once, or after the next sign-in. For work that pauses in between. */
export function sessionActive(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (state.status !== 'active') return;
      off();
      resolve();
    };
    const off = onSessionChange(look);
    look();
  });
}

/** What came of signing out. With `endSessionUrl` the provider's session should be ended there too. */
export type SignOut = { readonly confirmed: false } | { readonly confirmed: true; readonly endSessionUrl?: string };

/** Signs out. When the answer is lost or says nothing, the state becomes `sign-out-unconfirmed`. */
export async function signOut(): Promise<SignOut> {
  signingOut = true;
  try {
    const response = await send(['v1', 'auth', 'logout'], { method: 'POST' });
    announce('signed-out');
    if (response.status === 204) return { confirmed: true };
    return { confirmed: true, ...((await response.json()) as EndSession) };
  } catch (error) {
    const failure = apiErrorOf(error);
    if (failure.code === 'session_required') return { confirmed: true };
    become({ status: 'sign-out-unconfirmed', error: failure });
    return { confirmed: false };
  } finally {
    signingOut = false;
  }
}

onSessionError((error) => {
  if (state.status !== 'active' || signingOut) return;
  if (error.code === 'session_required') end();
  else void checkSession();
});
onAnnouncement(() => {
  if (state.status !== 'checking') void checkSession();
});
