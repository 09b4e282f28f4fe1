import type { Command } from 'commander';
import { codeOf } from '../../errors/svc-error.ts';
import { changeOnce } from '../../transfer/retry.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import { connect } from '../argument/connect.ts';
import type { Edge } from '../terminal/edge.ts';
import type { Connection } from '../../client/connection.ts';
import { confirmRemoval } from './removal-question.ts';
import { parseBucket, remoteText, type KeyPath } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { isBucketThere, listObjects } from './listing.ts';
import { removeBeneath, type Removal } from './removal.ts';
import { textOfEnded, throwIfFailed } from './rm.ts';

export function addRb(program: Command, edge: Edge): void {
  program
    .command('rb')
    .description('delete a bucket')
    .argument('<bucket>', 'PROVIDER/BUCKET')
    .option('-f, --force', 'delete everything in it first')
    .option('-y, --yes', 'with --force on a terminal: do not ask')
    .addHelpText(
      'after',
      `
Required actions: \`buckets:delete\`, and with --force also \`objects:delete\` on
each object. On a terminal, --force shows how much it would delete and asks
first, unless you give --yes. It does not ask in a script.

Examples:
  svc rb main/reports-2024
  svc rb --force main/scratch`,
    )
    .action(async (text: string, { force, yes }: { force?: true; yes?: true }, command: Command) => {
      const { provider, bucket } = parseBucket(text);
      const connection = await connect(edge, command);
      const everything = { provider, bucket, key: '' };
      if (force && !yes)
        await confirmRemoval(edge, [{ target: everything, objects: listObjects(connection, everything) }]);
      if (force) await empty(edge, connection, everything);
      const wasThere = await isBucketThere(connection, provider, bucket);
      await changeOnce(
        () => connection.call('bucket/delete', { provider, bucket }),
        (code) => code === 'not_found' && wasThere === true,
        connection,
      ).catch((error: unknown) => {
        throw force && codeOf(error) === 'bucket_not_empty' ? keepsSomething(provider, bucket) : error;
      });
      report(edge, command, { provider, bucket }, [`removed ${remoteText({ provider, bucket, key: '' })}`]);
    });
}

async function empty(edge: Edge, connection: Connection, bucket: KeyPath): Promise<void> {
  const removal: Removal = { deleted: [], failed: [] };
  const tellEnded = (): void => {
    if (removal.deleted.length > 0) edge.printError(textOfEnded(removal));
  };
  edge.beforeInterrupt(tellEnded);
  try {
    await removeBeneath(edge, connection, bucket, removal);
    throwIfFailed(removal);
  } catch (error) {
    tellEnded();
    throw error;
  }
}

/** The failure when everything that can be listed is deleted, but the bucket is still not empty. */
function keepsSomething(provider: string, bucket: string): CliFailure {
  return new CliFailure(
    EXIT.failed,
    `${remoteText({ provider, bucket, key: '' })} is empty, and cannot be removed: the storage still keeps earlier versions of its objects, or unfinished uploads, which svc does not see; remove those with a tool of the storage, then run \`svc rb\` again`,
    'bucket_not_empty',
  );
}
