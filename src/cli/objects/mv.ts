import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { hasBegun, nothingCopied, runCopy, tellingEnd } from './copy-run.ts';
import type { Edge } from '../terminal/edge.ts';
import { openProgress } from '../terminal/progress.ts';
import { planRemoteCopies } from './remote-copy-plan.ts';
import { RememberedUploads } from '../../client/remembered-uploads.ts';
import { asFolder, parseBeneath, parseObject, sourcesAndTarget } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

const MOVES_AT_ONCE = 4;

export function addMv(program: Command, edge: Edge): void {
  program
    .command('mv')
    .description('move or rename objects within the service')
    .argument(
      '<path...>',
      'one or more sources, PROVIDER/BUCKET/KEY or with -r PROVIDER/BUCKET[/FOLDER]; then the target, an object or a folder, which ends with `/` or is a bucket',
    )
    .usage('[options] SOURCE... TARGET')
    .option('-r, --recursive', 'everything beneath the folder')
    .addHelpText(
      'after',
      `
No content passes through this machine. Existing targets are replaced. Each
source is deleted after its target is complete. If two sources have the same
target, the second one fails. Required actions: \`objects:get\` and
\`objects:delete\` on the source and \`objects:write\` on the target.

Examples:
  svc mv main/photos/see.jpg main/photos/sea.jpg
  svc mv main/inbox/scan.pdf main/reports/2026/
  svc mv -r main/photos/2024 main/archive/photos-2024`,
    )
    .action(async (paths: string[], { recursive = false }: { recursive?: boolean }, command: Command) => {
      const { sources, target } = sourcesAndTarget(paths);
      const from = sources.map((source) => (recursive ? asFolder(parseBeneath(source)) : parseObject(source)));
      const to = parseBeneath(target);
      const connection = await connect(edge, command);
      const tasks = planRemoteCopies(connection, from, to, { recursive, several: sources.length > 1 });
      const progress = await openProgress(edge, { quiet: true });
      const outcome = nothingCopied();
      const tell = (): void =>
        report(edge, command, { moved: outcome.copied, failed: outcome.failed }, [
          `moved ${count(outcome.copied, 'object')}`,
        ]);
      edge.beforeInterrupt(() => {
        if (hasBegun(outcome)) tell();
      });
      const remembered = new RememberedUploads(edge.env, connection.server);
      const run = { jobs: MOVES_AT_ONCE, resume: false, move: true, remembered };
      await tellingEnd(outcome, tell, () => runCopy(connection, tasks, run, progress, outcome));
    });
}
