import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import type { Edge } from '../terminal/edge.ts';
import { parseBucket, remoteText } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';

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
      await (await connect(edge, command)).call('bucket/create', { provider, name: bucket });
      report(edge, command, { provider, bucket }, [`made ${remoteText({ provider, bucket, key: '' })}`]);
    });
}
