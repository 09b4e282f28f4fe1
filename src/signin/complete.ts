import * as openid from 'openid-client';
import { SvcError } from '../errors/svc-error.ts';
import { promptAdvice, type DesktopPrompt } from './desktop-prompt.ts';
import { withinProviderTime } from './deadline.ts';
import { desktopFailureUrl } from './desktop-request.ts';
import { requireSignInSince, verifyIdToken } from './id-token.ts';
import { LOGIN_LIFETIME_SECONDS, type DesktopRequest } from './pending-login.ts';
import { readPerson, type SignedInPerson } from './person.ts';
import { providerFailure, rejected } from './provider-failure.ts';
import type { SealedLogin } from './seal.ts';
import type { Parts } from './options.ts';
import { SignInNotes } from './sign-in-notes.ts';
import { areEqual, digestOf } from '../secret/secret.ts';

export type CompleteRequest = {
  /** The query of the callback. */
  readonly query: string | URLSearchParams;
  readonly browserSecret: string | undefined;
  /** Collects what is learned during the sign-in. */
  readonly notes?: SignInNotes;
};

export type CompletedLogin =
  | { readonly outcome: 'web'; readonly person: SignedInPerson; readonly returnTo: string }
  | { readonly outcome: 'desktop'; readonly person: SignedInPerson; readonly desktop: DesktopRequest }
  /** Send the browser to the loopback listener with the error. `error` is for the log. */
  | { readonly outcome: 'desktop-failed'; readonly redirectTo: string; readonly error: unknown };

/** Errors of providers that cannot ask people as `desktop_prompt` says. Glewlwyd answers the first one to `max_age=0`. */
const ABOUT_PROMPT: readonly string[] = [
  'invalid_request',
  'account_selection_required',
  'consent_required',
  'login_required',
  'interaction_required',
  'unmet_authentication_requirements',
];

/**
 * Finishes a login. The checks of a callback, in this order:
 *
 * | check | error otherwise |
 * |---|---|
 * | the seal of `state` opens | `login_invalid` |
 * | not expired | `login_invalid` |
 * | begun by this browser | `login_invalid` |
 * | not used before | `login_replayed` |
 * | the provider reports no error | `login_refused` |
 * | the code is exchanged, the ID token verified, in 15 seconds together | `login_rejected`, or an error of the provider |
 * | for a desktop client: the person authenticated after the login began | `login_invalid` |
 */
export async function completeLogin(parts: Parts, request: CompleteRequest): Promise<CompletedLogin> {
  const query = new URLSearchParams(request.query);
  const sealed = openLogin(parts, request, query);
  const { desktop, expiresAt, returnTo } = sealed.login;
  if ((await parts.options.ledger.consume(`login:${sealed.id}`, expiresAt)) === 'replayed') {
    throw new SvcError('login_replayed', { detail: 'this sign-in was finished before; begin a new one' });
  }
  const { notes = new SignInNotes() } = request;
  notes.kind = desktop === undefined ? 'web' : 'desktop';
  if (desktop === undefined) return { outcome: 'web', person: await signIn(parts, query, sealed, notes), returnTo };
  try {
    return { outcome: 'desktop', person: await signIn(parts, query, sealed, notes), desktop };
  } catch (error) {
    return { outcome: 'desktop-failed', redirectTo: desktopFailureUrl(desktop, error), error };
  }
}

function openLogin({ options, seal }: Parts, { browserSecret }: CompleteRequest, query: URLSearchParams): SealedLogin {
  const states = query.getAll('state');
  const sealed = states.length === 1 ? seal.open(states[0]!) : undefined;
  if (sealed === undefined)
    throw invalid('this sign-in was not begun here, or the service was restarted meanwhile; begin a new one');
  const { login } = sealed;
  if (login.expiresAt <= options.now()) throw invalid('this sign-in took too long; begin a new one');
  if (browserSecret === undefined || !areEqual(digestOf(browserSecret), login.browser)) {
    throw invalid('this sign-in was begun in another browser, or the browser keeps no cookies; begin a new one');
  }
  return sealed;
}

async function signIn(
  parts: Parts,
  query: URLSearchParams,
  sealed: SealedLogin,
  notes: SignInNotes,
): Promise<SignedInPerson> {
  refuseProviderError(query, notes, sealed.login.desktop === undefined ? 'none' : parts.options.desktopPrompt);
  if (query.getAll('code').length !== 1) throw rejected('the identity provider sent no code; sign in again');
  return await withinProviderTime(parts.options.limits, (late) => askWhoItIs(parts, query, sealed, { late, notes }));
}

async function askWhoItIs(
  { options, provider }: Parts,
  query: URLSearchParams,
  sealed: SealedLogin,
  { late, notes }: { readonly late: AbortSignal; readonly notes: SignInNotes },
): Promise<SignedInPerson> {
  const known = await provider.known();
  late.throwIfAborted();
  const callback = new URL(options.redirectUri);
  callback.search = query.toString();
  const tokens = await openid
    .authorizationCodeGrant(known.config, callback, {
      pkceCodeVerifier: sealed.verifier,
      expectedState: sealed.state,
      expectedNonce: sealed.nonce,
      idTokenExpected: true,
    })
    .catch((error: unknown) => {
      throw providerFailure(error, 'the code exchange');
    });
  late.throwIfAborted();
  const idToken = tokens.id_token ?? '';
  const claims = await verifyIdToken(idToken, {
    keys: known.keys,
    issuer: options.issuer,
    clientId: options.clientId,
    nonce: sealed.nonce,
    now: options.now(),
  });
  notes.received(claims, options.subjectClaim);
  if (isAskedAgain(options, sealed))
    requireSignInSince(claims, sealed.login.expiresAt - LOGIN_LIFETIME_SECONDS * 1000, options.now());
  late.throwIfAborted();
  return await readPerson(known, { idToken, accessToken: tokens.access_token, claims }, options, notes);
}

/** Whether the provider was asked to have the person authenticate again. */
function isAskedAgain({ desktopPrompt }: Parts['options'], { login }: SealedLogin): boolean {
  return login.desktop !== undefined && desktopPrompt === 'login';
}

/** @throws {SvcError} `login_refused` with the provider's message, as far as it can be shown. */
function refuseProviderError(query: URLSearchParams, notes: SignInNotes, prompt: DesktopPrompt): void {
  const error = query.get('error');
  if (error === null) return;
  if (/^[\w.-]{1,64}$/.test(error)) notes.providerError = error;
  const described = query.get('error_description') ?? '';
  const refusal = `the identity provider refused the sign-in (\`${visibleText(error, 64)}\`)`;
  const detail = described === '' ? refusal : `${refusal}: ${visibleText(described, 300)}`;
  const isAboutPrompt = prompt !== 'none' && ABOUT_PROMPT.includes(error);
  throw new SvcError('login_refused', {
    detail: isAboutPrompt ? `${detail}; ${promptAdvice(prompt)}` : detail,
  });
}

function visibleText(text: string, length: number): string {
  return text
    .replace(/[^\P{C}]/gu, ' ')
    .replaceAll('`', "'")
    .slice(0, length);
}

function invalid(detail: string): SvcError {
  return new SvcError('login_invalid', { detail });
}
