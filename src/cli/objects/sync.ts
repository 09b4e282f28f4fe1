import type { Command } from 'commander';
import { RememberedUploads } from '../../client/remembered-uploads.ts';
import { paceOf } from '../argument/byte-option.ts';
import { connect } from '../argument/connect.ts';
import { FILTER_HELP, filterOf, withFilter, type FilterOptions } from '../argument/name-filter.ts';
import type { Edge } from '../terminal/edge.ts';
import { openProgress } from '../terminal/progress.ts';
import { report, wantsJson } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';
import { changeTeller, copiedText } from './copy-report.ts';
import { nothingCopied, runCopy, tellingEnd } from './copy-run.ts';
import { parseJobs } from './cp.ts';
import { deleteExtra } from './sync-delete.ts';
import { planSync } from './sync-plan.ts';
import { compareBy, placesOf, withComparison, type ComparisonOptions } from './sync-question.ts';

type SyncOptions = FilterOptions &
  ComparisonOptions & {
    readonly delete?: true;
    readonly dryRun?: true;
    readonly bwlimit?: string;
    readonly jobs: string;
    readonly quiet?: true;
  };

export function addSync(program: Command, edge: Edge): void {
  const command = program
    .command('sync')
    .description('make a folder the same as another one')
    .argument('<source>', 'a folder. Remote paths begin with `svc:`, all others are local')
    .argument('<target>', 'the folder that changes')
    .option('--delete', 'delete what the source does not have')
    .option('-n, --dry-run', 'only print what would be done');
  withFilter(withComparison(command))
    .option('-j, --jobs <number>', 'number of concurrent files and parts, 1 to 32', '8')
    .option('--bwlimit <size>', 'at most so many bytes a second in all, such as 500k or 2M')
    .option('-q, --quiet', 'no progress bar')
    .addHelpText(
      'after',
      `
Copies what is new or different, from this machine to storage, back, or within
the service, and prints a line for each change. At least one path is remote.

A file is left out if the target has the same size and the same modification
time. Uploads keep the time of the file with the object (\`x-amz-meta-mtime\`, as
rclone does), and downloads give it back. If the times differ or none is kept,
checksums are compared as by \`svc cp --resume\`. Objects of the same size and
ETag are the same.

Nothing is replaced or deleted that changed after it was compared: such a file
fails, and the next run finds it. --delete begins when all else is done, and
only if nothing failed and the source is not empty. It deletes nothing if you
may not list its source, and nothing that a link or a glob leaves out. Folders
that become empty stay.

${FILTER_HELP}

Symbolic links are not followed. Interrupted transfers continue as in \`svc cp\`.
Exit statuses and required actions are those of \`svc cp -r\`, with
\`objects:list\` on a remote target, and \`objects:delete\` for --delete. --json
prints what \`svc cp\` does, with \`deleted\`, \`dryRun\` and \`changes\`:
\`{action, from, to}\`, or \`{action: "delete", path}\`.

Examples:
  svc sync ./site svc:main/www
  svc sync --delete --dry-run ./photos svc:main/photos
  svc sync svc:main/photos ./photos --include '*.jpg' --exclude 'drafts/**'
  svc sync svc:main/photos svc:archive/photos`,
    )
    .action(async (source: string, target: string, options: SyncOptions, command: Command) => {
      const places = placesOf(source, target);
      const by = compareBy(options);
      const jobs = parseJobs(options.jobs);
      const dryRun = options.dryRun === true;
      const question = { ...places, by, filter: filterOf(options), deletes: options.delete === true } as const;
      const connection = await connect(edge, command, paceOf(options.bwlimit));
      const { tasks, extra } = await planSync(connection, question);
      const progress = await openProgress(edge, { quiet: options.quiet === true || wantsJson(command) });
      const { tell, changes } = changeTeller(progress, wantsJson(command));
      const outcome = nothingCopied();
      let deleted = 0;
      const tellEnd = (): void => {
        progress.stop();
        const more = deleted === 0 ? '' : `, ${dryRun ? 'delete' : 'deleted'} ${count(deleted, 'file')}`;
        report(edge, command, { ...outcome, deleted, dryRun, changes }, [copiedText(outcome, dryRun) + more]);
      };
      edge.beforeInterrupt(() => {
        progress.stop();
        edge.printError('interrupted; give the same command again to do the rest');
      });
      const run = {
        jobs,
        dryRun,
        resume: false,
        move: false,
        remembered: new RememberedUploads(edge.env, connection.server),
        tell,
      };
      try {
        await tellingEnd(outcome, tellEnd, async () => {
          await runCopy(connection, tasks, run, progress, outcome);
          if (options.delete && outcome.failed.length === 0)
            deleted = await deleteExtra(connection, question, extra, run, progress, outcome.failed);
        });
      } finally {
        progress.stop();
      }
    });
}
