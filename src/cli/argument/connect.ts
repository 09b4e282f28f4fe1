import { join } from 'node:path';
import type { Command } from 'commander';
import { usageFault } from '../terminal/cli-failure.ts';
import { printAbove } from '../terminal/progress.ts';
import { waitTeller } from '../terminal/wait-teller.ts';
import { Connection } from '../../client/connection.ts';
import { Credentials } from '../../client/credentials.ts';
import type { Edge } from '../terminal/edge.ts';
import { PrivateFile } from '../../client/private-file.ts';
import type { Pace } from '../../client/pace.ts';
import { isServerName, serverNames } from './server-names.ts';
import { keepsSecrets, serverAddress } from '../../client/server-address.ts';
import { configFolder } from '../../client/user-folders.ts';

/** The options of every verb. */
export type GlobalOptions = { readonly server?: string; readonly credential?: string; readonly json?: true };

type Remembered = { readonly server?: string };

/** The server: `--server`, otherwise `SVC_SERVER`, each an address or a name of `svc alias`; otherwise the last one that the user signed in to. */
export async function serverOf(edge: Edge, command: Command): Promise<string> {
  const { server } = command.optsWithGlobals<GlobalOptions>();
  const text = server ?? nonEmpty(edge.env['SVC_SERVER']) ?? (await remembered(edge).read())?.server;
  if (text === undefined)
    throw usageFault(
      'no server is known; give `--server https://files.example.com`, set `SVC_SERVER`, or sign in with `svc login --server …` once',
    );
  return addressOf(edge, text);
}

/**
 * The address of a server, given as it is or by its name.
 *
 * @throws {CliFailure} usage: no server has the name. {@link ClientFailure} for anything else that is no address.
 */
export async function addressOf(edge: Pick<Edge, 'env'>, text: string): Promise<string> {
  if (!isServerName(text)) return serverAddress(text);
  const known = (await serverNames(edge.env).read()) ?? {};
  if (!Object.hasOwn(known, text))
    throw usageFault(`no server is named \`${text}\`; give its address, or name it: \`svc alias ${text} https://…\``);
  return serverAddress(known[text]!);
}

/** Makes this server the default of verbs without one. */
export async function rememberServer(edge: Edge, server: string): Promise<void> {
  await remembered(edge).write({ server });
}

/** The given credential: `--credential`, otherwise `SVC_CREDENTIAL`. */
export function givenCredential(edge: Edge, command: Command): string | undefined {
  return nonEmpty(command.optsWithGlobals<GlobalOptions>().credential) ?? nonEmpty(edge.env['SVC_CREDENTIAL']);
}

/** Connects to the server with the given credential, otherwise the one of `svc login`. Without any, the service decides. */
export async function connect(edge: Edge, command: Command, pace?: Pace): Promise<Connection> {
  const server = await serverOf(edge, command);
  const credential = givenCredential(edge, command) ?? (await new Credentials(edge.env).read(server));
  if (credential !== undefined && !/^[\x21-\x7e]+$/.test(credential))
    throw usageFault('the credential holds characters that no credential has; was it copied whole?');
  if (credential !== undefined && !keepsSecrets(server))
    throw usageFault(`a credential is not sent to ${server} unencrypted; give an \`https://\` address`);
  return new Connection(
    server,
    credential,
    pace,
    waitTeller((line) => printAbove(edge, line)),
  );
}

function remembered(edge: Edge): PrivateFile<Remembered> {
  return new PrivateFile(join(configFolder(edge.env), 'server.json'));
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
