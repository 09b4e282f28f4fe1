import type { Command } from 'commander';
import type { RpcResult } from '../../wire/rpc.ts';
import { openBrowser } from '../../client/browser.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { rememberServer, serverOf } from '../argument/connect.ts';
import { Connection } from '../../client/connection.ts';
import { Credentials } from '../../client/credentials.ts';
import { DesktopSignIn, needsNoSignIn } from '../../client/desktop-sign-in.ts';
import { parseDuration } from '../argument/duration.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { keepsSecrets } from '../../client/server-address.ts';
import { timeText } from '../terminal/text.ts';

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
Opens the sign-in page of the server in the system's browser, and waits for the
result on a port of this machine. The session is stored in the system's keyring.
If there is none, it is stored in a file that only you can read (SVC_KEYRING=off
always uses the file). From then on, this server is the default for --server.

On a machine without a browser, open the address on your own machine and forward
the port (\`ssh -L PORT:127.0.0.1:PORT …\`), or use an API key in SVC_CREDENTIAL.

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
  if (!keepsSecrets(server))
    throw usageFault(`signing in at ${server} would send the session unencrypted; give an \`https://\` address`);
  if (await needsNoSignIn(server)) {
    await rememberServer(edge, server);
    report(edge, command, { server, signedIn: false }, [
      `${server} needs no sign-in: everyone may do everything there`,
    ]);
    return;
  }
  const credential = await obtainCredential(edge, server, { browser, seconds });
  const principal = await new Connection(server, credential).call('session/get', {});
  const credentials = new Credentials(edge.env);
  const place = await credentials.write(server, credential);
  await rememberServer(edge, server);
  report(edge, command, { server, signedIn: true, ...principal, keptIn: place }, [
    signedInText(server, principal),
    place === 'keyring' ? 'the session is kept in the keyring' : `the session is kept in ${credentials.filePath}`,
  ]);
}

async function obtainCredential(
  edge: Edge,
  server: string,
  { browser, seconds }: { readonly browser: boolean; readonly seconds: number },
): Promise<string> {
  const signIn = await DesktopSignIn.begin(server, { place: 'the terminal', again: 'run `svc login` to try again' });
  let timer: NodeJS.Timeout | undefined;
  try {
    for (const line of ['to sign in, open:', '', `  ${signIn.url}`, '']) edge.printError(line);
    if (browser) await openBrowser(signIn.url);
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () =>
          reject(
            new CliFailure(EXIT.failed, 'nobody signed in in time; run `svc login` to try again', 'login_timeout'),
          ),
        Math.min(seconds, 86_400) * 1000,
      );
    });
    return await Promise.race([signIn.credential, tooLate]);
  } finally {
    clearTimeout(timer);
    signIn.close();
  }
}

function signedInText(server: string, { name, subject, expiresAt }: Principal): string {
  const who = name === subject ? name : `${name} (${subject})`;
  return `signed in at ${server} as ${who}${expiresAt === null ? '' : ` until ${timeText(expiresAt)}`}`;
}
