import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { RpcResult } from '../wire/rpc.ts';
import { openBrowser } from './browser.ts';
import { CliFailure, EXIT, usageFault } from './cli-failure.ts';
import { rememberServer, serverOf } from './connect.ts';
import { Connection, problemOf } from './connection.ts';
import { Credentials } from './credentials.ts';
import { parseDuration } from './duration.ts';
import type { Edge } from './edge.ts';
import { LoopbackListener } from './loopback-listener.ts';
import { report } from './report.ts';
import { keepsSecrets } from './server-address.ts';
import { timeText } from './text.ts';
import { digestOf } from '../secret/secret.ts';

const CLIENT_ID = 'svc-desktop';

type Principal = RpcResult<'session/get'>;

export function addLogin(program: Command, edge: Edge): void {
  program
    .command('login')
    .description('sign in through the browser')
    .option('--no-browser', 'only print the address to open')
    .option('--timeout <duration>', 'how long to wait for the browser', '10m')
    .addHelpText(
      'after',
      `
Opens the system's browser at the server's sign-in page and waits for it on a
port of this machine. The session is kept in the system's keyring, or where
there is none in a file that only you can read (SVC_KEYRING=off always takes the
file). From then on this server is the one that is meant without --server.

On a machine without a browser, open the address on your own machine with the
port forwarded (\`ssh -L PORT:127.0.0.1:PORT …\`), or work with an API key in
SVC_CREDENTIAL.

Examples:
  svc login --server https://files.example.com
  svc login --no-browser`,
    )
    .action(async (_options: object, command: Command) => login(edge, command));
}

async function login(edge: Edge, command: Command): Promise<void> {
  const { browser, timeout } = command.opts<{ browser: boolean; timeout: string }>();
  const seconds = parseDuration(timeout);
  const server = await serverOf(edge, command);
  if (!keepsSecrets(server)) throw usageFault(`signing in at ${server} would send the session unencrypted; give an \`https://\` address`);
  if (await isOpen(server)) {
    await rememberServer(edge, server);
    report(edge, command, { server, signedIn: false }, [`${server} needs no sign-in: everyone may do everything there`]);
    return;
  }
  const credential = await obtainCredential(edge, server, { browser, seconds });
  const principal = await new Connection(server, credential).call('session/get', {});
  const credentials = new Credentials(edge.env);
  const place = await credentials.write(server, credential);
  await rememberServer(edge, server);
  report(edge, command, { server, signedIn: true, ...principal, keptIn: place }, [signedInText(server, principal), place === 'keyring' ? 'the session is kept in the keyring' : `the session is kept in ${credentials.filePath}`]);
}

/** Whether the service lets everyone in: authentication is off. */
async function isOpen(server: string): Promise<boolean> {
  try {
    await new Connection(server, undefined).call('session/get', {});
    return true;
  } catch (error) {
    if (codeOf(error) === 'session_required') return false;
    throw error;
  }
}

async function obtainCredential(edge: Edge, server: string, { browser, seconds }: { readonly browser: boolean; readonly seconds: number }): Promise<string> {
  const state = randomBytes(24).toString('base64url');
  const verifier = randomBytes(48).toString('base64url');
  const listener = await LoopbackListener.open(state);
  let timer: NodeJS.Timeout | undefined;
  try {
    const url = authorizeUrl(server, { redirectUri: listener.redirectUri, state, verifier });
    edge.printError(`to sign in, open:\n\n  ${url}\n`);
    if (browser) await openBrowser(url);
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new CliFailure(EXIT.failed, 'nobody signed in in time; run `svc login` to try again', 'login_timeout')), Math.min(seconds, 86_400) * 1000);
    });
    const code = await Promise.race([listener.code, tooLate]);
    return await exchange(server, { code, verifier, redirectUri: listener.redirectUri });
  } finally {
    clearTimeout(timer);
    listener.close();
  }
}

function authorizeUrl(server: string, { redirectUri, state, verifier }: { readonly redirectUri: string; readonly state: string; readonly verifier: string }): string {
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

async function exchange(server: string, { code, verifier, redirectUri }: { readonly code: string; readonly verifier: string; readonly redirectUri: string }): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: CLIENT_ID, redirect_uri: redirectUri, code, code_verifier: verifier });
  const { status, text } = await new Connection(server, undefined).post('/v1/auth/token', 'application/x-www-form-urlencoded', body.toString());
  if (status === 400) throw new SvcError('login_invalid', { detail: 'the code was not accepted; run `svc login` to try again' });
  if (status >= 400) throw problemOf(status, text);
  const { access_token: credential } = JSON.parse(text) as { access_token?: unknown };
  if (typeof credential !== 'string') throw new CliFailure(EXIT.failed, 'the service answered without a credential');
  return credential;
}

function signedInText(server: string, { name, subject, expiresAt }: Principal): string {
  const who = name === subject ? name : `${name} (${subject})`;
  return `signed in at ${server} as ${who}${expiresAt === null ? '' : ` until ${timeText(expiresAt)}`}`;
}
