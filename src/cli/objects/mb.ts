import type { Command } from 'commander';
import { changeOnce } from '../../transfer/retry.ts';
import { connect } from '../argument/connect.ts';
import type { Edge } from '../terminal/edge.ts';
import { parseBucket, remoteText } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { isBucketThere } from './listing.ts';

export function addMb(program: Command, edge: Edge): void {
  program
    .command('mb')
    .description('create a bucket')
    .argument('<bucket>', 'PROVIDER/BUCKET')
    .addHelpText(
      'after',
      `
Required action: \`buckets:create\`.

Examples:
  svc mb main/reports-2026`,
    )
    .action(async (text: string, _options: object, command: Command) => {
      const { provider, bucket } = parseBucket(text);
      const connection = await connect(edge, command);
      const wasThere = await isBucketThere(connection, provider, bucket);
      await changeOnce(
        () => connection.call('bucket/create', { provider, name: bucket }),
        async (code) =>
          code === 'bucket_exists' &&
          wasThere === false &&
          (await isBucketThere(connection, provider, bucket)) === true,
        connection,
      );
      report(edge, command, { provider, bucket }, [`made ${remoteText({ provider, bucket, key: '' })}`]);
    });
}
