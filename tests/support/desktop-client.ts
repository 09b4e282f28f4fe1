import { hash, randomBytes } from 'node:crypto';
import { finishSignIn } from './app.ts';
import { Visitor } from './visitor.ts';

export type DesktopAttempt = {
  readonly verifier: string;
  readonly state: string;
  readonly redirectUri: string;
  /** The authorize URL to open in the system browser. */
  readonly authorizeUrl: string;
};

/** What a desktop client makes up before it opens the browser. */
export function desktopAttempt(
  origin: string,
  changes: Readonly<Record<string, string | undefined>> = {},
): DesktopAttempt {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const redirectUri = 'http://127.0.0.1:49152/callback';
  const query: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: 'svc-desktop',
    redirect_uri: redirectUri,
    state,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    verifier,
    state,
    redirectUri,
    authorizeUrl: `${origin}/v1/auth/authorize?${new URLSearchParams(given).toString()}`,
  };
}

/** Goes through the browser as far as the loopback listener, and gives what it is sent. */
export async function desktopCode(
  origin: string,
  account: string,
  attempt = desktopAttempt(origin),
  visitor = new Visitor(),
): Promise<URLSearchParams> {
  const answer = await finishSignIn(attempt.authorizeUrl, account, visitor);
  const location = answer.headers.get('location') ?? '';
  if (!location.startsWith(`${attempt.redirectUri}?`))
    throw new Error(`not sent to the loopback listener but to \`${location}\` (${answer.status})`);
  return new URL(location).searchParams;
}

export function exchangeCode(
  origin: string,
  attempt: DesktopAttempt,
  code: string,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  const form: Record<string, string | undefined> = {
    grant_type: 'authorization_code',
    client_id: 'svc-desktop',
    redirect_uri: attempt.redirectUri,
    code,
    code_verifier: attempt.verifier,
    ...changes,
  };
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(`${origin}/v1/auth/token`, { method: 'POST', body: new URLSearchParams(given) });
}

export type TokenAnswer = { readonly access_token: string; readonly token_type: string; readonly expires_in: number };

/** The whole desktop sign-in. */
export async function signInDesktop({ origin }: { readonly origin: string }, account: string): Promise<TokenAnswer> {
  const attempt = desktopAttempt(origin);
  const code = (await desktopCode(origin, account, attempt)).get('code') ?? '';
  const answer = await exchangeCode(origin, attempt, code);
  if (answer.status !== 200) throw new Error(`no credential: ${await answer.text()}`);
  return (await answer.json()) as TokenAnswer;
}
