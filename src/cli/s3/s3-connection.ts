import type { Command } from 'commander';
import type { Connection } from '../../client/connection.ts';
import { connect } from '../argument/connect.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';

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
  return { connection, s3 };
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
  return first;
}
