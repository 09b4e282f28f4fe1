import type { Command } from 'commander';
import { ClientFailure } from '../../client/client-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { connect } from '../argument/connect.ts';
import { PROVIDER_NAME } from '../../policy/model/name.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';

export type KeyPair = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Where tools reach the S3 endpoint. */
export type S3Endpoint = { readonly endpoint: string; readonly region: string };

/** @throws {CliFailure} when the service has no S3 endpoint. */
export async function s3Connection(
  edge: Edge,
  command: Command,
): Promise<{ readonly connection: Connection; readonly s3: S3Endpoint }> {
  const connection = await connect(edge, command);
  const { s3 } = await connection.call('initialize', {});
  if (s3 === null)
    throw new CliFailure(
      EXIT.failed,
      `${connection.server} has no S3 endpoint; whoever runs it can turn it on with \`s3\``,
      'no_s3_endpoint',
    );
  return { connection, s3: { endpoint: plain('endpoint', s3.endpoint), region: plain('region', s3.region) } };
}

/** The forms of what a service gives. It goes into files and shells of this machine, where another line or word could be a command. */
const FORMS = {
  endpoint: /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/?$/i,
  region: /^[a-z0-9-]{1,64}$/,
  provider: new RegExp(PROVIDER_NAME),
  'access key ID': /^SVC[A-Z2-7]{17}$/,
  'secret access key': /^[\w-]{40}$/,
} as const;

/** @throws {ClientFailure} */
function plain(what: keyof typeof FORMS, text: string): string {
  if (FORMS[what].test(text)) return text;
  throw new ClientFailure(`the service gave \`${text}\` as ${what}, which is none; tell whoever runs it`);
}

/** An access key that the service has made. @throws {ClientFailure} when it is none. */
export function keyPairOf(accessKeyId: string, secretAccessKey: string): KeyPair {
  return {
    accessKeyId: plain('access key ID', accessKeyId),
    secretAccessKey: plain('secret access key', secretAccessKey),
  };
}

/**
 * The named provider, otherwise the only one that the person sees.
 *
 * @throws {CliFailure} usage
 */
export async function providerOf(connection: Connection, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { providers } = await connection.call('provider/list', {});
  const [first, ...others] = providers.map(({ name }) => name);
  if (first === undefined) throw new CliFailure(EXIT.failed, 'you may see no provider', 'no_provider');
  if (others.length > 0)
    throw usageFault(`say for which provider with \`--provider\`; there are: ${[first, ...others].join(', ')}`);
  return plain('provider', first);
}
