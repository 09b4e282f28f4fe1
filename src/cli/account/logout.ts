import type { Command } from 'commander';
import { openBrowser } from '../../client/browser.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { givenCredential, serverOf } from '../argument/connect.ts';
import { Connection } from '../../client/connection.ts';
import { Credentials } from '../../client/credentials.ts';
import { ShortLivedKeys } from '../../client/short-lived-keys.ts';
import { signOut } from '../../client/sign-out.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';
import { API_KEY_PREFIX } from '../../secret/secret.ts';

export function addLogout(program: Command, edge: Edge): void {
  program
    .command('logout')
    .description('end the session, here and on the server')
    .option('--no-browser', 'only print the address that ends the session at the identity provider')
    .addHelpText(
      'after',
      `
Ends the session on the server, then deletes its credential here. Keys of
\`svc s3 credential-process\` are revoked. If the identity provider has a sign-out
page, its address is printed and opened.

Examples:
  svc logout
  svc logout --server https://files.example.com --no-browser`,
    )
    .action(async (_options: object, command: Command) => logout(edge, command));
}

async function logout(edge: Edge, command: Command): Promise<void> {
  const server = await serverOf(edge, command);
  const credentials = new Credentials(edge.env);
  const given = givenCredential(edge, command);
  if (given?.startsWith(API_KEY_PREFIX))
    throw usageFault('an API key is not signed in, so it cannot sign out; to end it: `svc key revoke ID`');
  const credential = given ?? (await credentials.read(server));
  if (credential === undefined) {
    report(edge, command, { server, signedOut: false, endSessionUrl: null }, [
      `nobody is signed in at ${server} on this machine`,
    ]);
    return;
  }
  const connection = new Connection(server, credential);
  if (given === undefined) await new ShortLivedKeys(edge.env, connection).forget();
  const endSessionUrl = await signOut(connection);
  if (given === undefined) await credentials.remove(server);
  const lines = [
    `signed out at ${server}`,
    ...(endSessionUrl === undefined
      ? []
      : ['to sign out at the identity provider too, open:', '', `  ${endSessionUrl}`, '']),
  ];
  report(edge, command, { server, signedOut: true, endSessionUrl: endSessionUrl ?? null }, lines);
  if (endSessionUrl !== undefined && command.opts<{ browser: boolean }>().browser) await openBrowser(endSessionUrl);
}
