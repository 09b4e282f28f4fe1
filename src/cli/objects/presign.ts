import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { parseDuration } from '../argument/duration.ts';
import type { Edge } from '../terminal/edge.ts';
import { parseObject } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { timeText } from '../terminal/text.ts';

const MAX_SECONDS = 604_800;

export function addPresign(program: Command, edge: Edge): void {
  program
    .command('presign')
    .description('create a link that works without signing in')
    .argument('<path>', 'PROVIDER/BUCKET/KEY')
    .option('--put', 'create a link for uploading instead of downloading')
    .option('--expires <duration>', 'lifetime of the link, at most 7d', '1h')
    .addHelpText(
      'after',
      `
Required actions: \`objects:presign\`, and \`objects:get\` (or \`objects:write\` with
--put). Anybody who has the link can use it until it expires. The link is
printed to standard output, its expiry to standard error. Like \`aws s3 presign\`,
the command does not ask whether the object exists.

Examples:
  svc presign main/photos/2025/sea.jpg
  svc presign --expires 7d main/reports/q1.pdf
  curl -T q2.pdf "$(svc presign --put --expires 15m main/reports/q2.pdf)"`,
    )
    .action(async (path: string, { put, expires }: { put?: true; expires: string }, command: Command) => {
      const { provider, bucket, key } = parseObject(path);
      const expiresIn = parseDuration(expires);
      if (expiresIn > MAX_SECONDS) throw usageFault('a link works for at most 7 days: `--expires 7d`');
      const link = await (
        await connect(edge, command)
      ).call('object/presign', { provider, bucket, key, method: put ? 'PUT' : 'GET', expiresIn });
      report(edge, command, link, [link.url]);
      edge.printError(`works until ${timeText(link.expiresAt)}`);
    });
}
