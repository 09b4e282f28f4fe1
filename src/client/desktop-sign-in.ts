import { randomBytes } from 'node:crypto';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { digestOf } from '../secret/secret.ts';
import { ClientFailure } from './client-failure.ts';
import { Connection } from './connection.ts';
import { problemOf } from './service-failure.ts';
import { LoopbackListener, type SignInWords } from './loopback-listener.ts';

const CLIENT_ID = 'svc-desktop';

type Attempt = { readonly redirectUri: string; readonly state: string; readonly verifier: string };

/**
 * A sign-in in the system's browser: authorization code with S256, sent to a port of this machine.
 *
 * The state is checked before the token route is used. Only the browser's answer or {@link close} ends the wait.
 */
export class DesktopSignIn {
  /** The URL to open in the system's browser. */
  readonly url: string;
  /** The session credential. Rejects when the person was refused, or the service does not accept the code. */
  readonly credential: Promise<string>;
  readonly #listener: LoopbackListener;

  private constructor(server: string, listener: LoopbackListener, attempt: Attempt, words: SignInWords) {
    this.#listener = listener;
    this.url = authorizeUrl(server, attempt);
    this.credential = listener.code.then((code) => exchange(server, code, attempt, words));
    // It is awaited later; until then a rejection must not count as unhandled.
    this.credential.catch(() => undefined);
  }

  /** @param server - without a slash at the end. */
  static async begin(server: string, words: SignInWords): Promise<DesktopSignIn> {
    const state = randomBytes(24).toString('base64url');
    const verifier = randomBytes(48).toString('base64url');
    const listener = await LoopbackListener.open(state, words);
    return new DesktopSignIn(server, listener, { redirectUri: listener.redirectUri, state, verifier }, words);
  }

  close(): void {
    this.#listener.close();
  }
}

function authorizeUrl(server: string, { redirectUri, state, verifier }: Attempt): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: redirectUri,
    state,
    code_challenge: digestOf(verifier),
    code_challenge_method: 'S256',
  });
  return `${server}/v1/auth/authorize?${query.toString()}`;
}

async function exchange(
  server: string,
  code: string,
  { redirectUri, verifier }: Attempt,
  { again }: SignInWords,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: CLIENT_ID,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });
  const { status, text } = await new Connection(server, undefined).post(
    '/v1/auth/token',
    'application/x-www-form-urlencoded',
    body.toString(),
  );
  if (status === 400) throw new SvcError('login_invalid', { detail: `the code was not accepted; ${again}` });
  if (status >= 400) throw problemOf(status, text);
  const { access_token: credential } = JSON.parse(text) as { access_token?: unknown };
  if (typeof credential !== 'string') throw new ClientFailure('the service answered without a credential');
  return credential;
}

/** Whether authentication is off, so that the service admits everyone. */
export async function needsNoSignIn(server: string): Promise<boolean> {
  try {
    await new Connection(server, undefined).call('session/get', {});
    return true;
  } catch (error) {
    if (codeOf(error) === 'session_required') return false;
    throw error;
  }
}
