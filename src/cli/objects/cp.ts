import type { Command } from 'commander';
import { usageFault } from '../terminal/cli-failure.ts';
import { paceOf } from '../argument/byte-option.ts';
import { connect } from '../argument/connect.ts';
import { gathered } from '../argument/gathered.ts';
import { METADATA_HELP, storedByOption } from '../argument/metadata.ts';
import { copyFromStdin } from './copy-stdin.ts';
import { changeTeller, copiedText } from './copy-report.ts';
import { planCopy } from './copy-plan.ts';
import { nothingCopied, runCopy, tellingEnd } from './copy-run.ts';
import { GLOB_HELP } from './glob.ts';
import { downloadTo } from '../../client/download.ts';
import type { Edge } from '../terminal/edge.ts';
import { openProgress } from '../terminal/progress.ts';
import { RememberedUploads } from '../../client/remembered-uploads.ts';
import { FILTER_HELP, filterOf, withFilter, type FilterOptions } from '../argument/name-filter.ts';
import { isRemote, parseObject, sourcesAndTarget } from '../argument/remote-path.ts';
import { report, wantsJson } from '../terminal/report.ts';
import { sizeText } from '../terminal/text.ts';

type CpOptions = FilterOptions & {
  readonly recursive?: true;
  readonly resume?: true;
  readonly jobs: string;
  readonly quiet?: true;
  readonly dryRun?: true;
  readonly bwlimit?: string;
  readonly contentType?: string;
  readonly metadata?: readonly string[];
  readonly versionId?: string;
};

const MAX_JOBS = 32;

/** @throws {CliFailure} usage */
export function parseJobs(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > MAX_JOBS)
    throw usageFault(`--jobs takes a number from 1 to ${MAX_JOBS}`);
  return jobs;
}

export function addCp(program: Command, edge: Edge): void {
  const command = program
    .command('cp')
    .description('upload, download or copy files and folders')
    .argument(
      '<path...>',
      'one or more sources, then the target. Remote paths begin with `svc:`, all others are local. The source `-` is standard input, the target `-` standard output',
    )
    .usage('[options] SOURCE... TARGET')
    .option('-r, --recursive', 'copy folders, with everything beneath')
    .option('--resume', 'skip files that the target already has');
  withFilter(command)
    .option('-j, --jobs <number>', 'number of concurrent files and parts, 1 to 32', '8')
    .option('-n, --dry-run', 'only print what would be copied')
    .option('--bwlimit <size>', 'at most so many bytes a second in all, such as 500k or 2M')
    .option('-q, --quiet', 'no progress bar')
    .option('--version-id <id>', 'download this version of one object, as `svc versions` prints it')
    .option('--content-type <type>', 'content type of uploads; default: derived from the name')
    .option('--metadata <key=value>', 'store this with uploads; can be given several times', gathered)
    .addHelpText(
      'after',
      `
A remote path begins with \`svc:\`, as in \`svc:PROVIDER/BUCKET/KEY\`. All other
paths are local. Write a local file whose name begins with \`svc:\` as \`./svc:…\`.
The key is not decoded, so put it in quotes.

A target that ends with \`/\`, is a bucket, or is an existing local folder
receives the file under its own name. With -r, the content of the source folder
is copied to the target. With several sources, each keeps its name.

${GLOB_HELP} The target of a glob is a folder.

Existing targets are replaced. To skip identical files, use --resume (not
between buckets, where every object is copied).

An interrupted download leaves a \`.part\` file. The next \`svc cp\` resumes from
there if the object has not changed. No object is downloaded to a name like that
of such a file, \`NAME.0123456789abcdef.part\`. An upload appears completely or
not at all. A file over 16 MiB is sent in parts of 8 MiB or more. If the upload
is interrupted, the same command sends only the missing parts, if the file has
not changed. The necessary information, without credentials, is in
\`$XDG_STATE_HOME/svc/uploads\` (\`~/.local/state/svc/uploads\`). \`svc uploads\`
lists and drops interrupted uploads.

The source \`-\` reads standard input to its end, up to 156 GiB, and stores one
object. If reading fails or you interrupt it, nothing is stored. A program whose
output is piped here and which fails ends its output all the same: only
\`set -o pipefail\` tells, after the object is stored.

With --resume, a file is skipped if the target has the same size and the same
checksum. Storage has a checksum if the ETag is an MD5, or is made of parts of
the size that \`svc cp\` sends. Without a checksum, the file is skipped if the
size is the same and the source is not newer; the last line says how often that
was the case. With -r, a key that is not a safe local path (\`../x\`, \`a//b\`) is
refused and named. If two sources have the same target, the second one fails,
also if their names differ only in case and the local file system ignores case.

${METADATA_HELP}

${FILTER_HELP}

Failures are printed to standard error, and the command continues with the other
files. The exit status is then 1, or 3 if policy denied each of them. Required
actions: \`objects:get\` on what is read, \`objects:list\` with -r, and
\`objects:write\` on what is written. With --version-id also \`objects:versions\`.

Examples:
  svc cp 'svc:main/photos/2025/sea & sky.jpg' .
  svc cp report.pdf svc:main/reports/
  svc cp --metadata project=apollo q1.csv svc:main/reports/
  svc cp -r -j 8 --resume ./album svc:main/photos/album
  svc cp -r svc:main/photos/2025 ./2025
  svc cp 'svc:main/logs/2025-*.gz' ./logs/
  svc cp svc:main/reports/q1.csv - | head
  pg_dump shop | gzip | svc cp - svc:main/backups/shop.sql.gz
  svc cp --version-id 3HL4kqtJvjVBH40Nrjfkd svc:main/reports/q1.csv old.csv
  svc cp svc:main/reports/q1.csv svc:archive/reports/`,
    )
    .action(async (paths: string[], options: CpOptions, command: Command) => {
      const { sources, target } = sourcesAndTarget(paths);
      const { versionId: version } = options;
      const jobs = parseJobs(options.jobs);
      const dryRun = options.dryRun === true;
      const filter = filterOf(options);
      const stored = storedByOption(options.metadata);
      if (stored !== undefined && sources.some(isRemote))
        throw usageFault('`--metadata` goes with uploads; a download or a copy within the service takes none');
      const connection = await connect(edge, command, paceOf(options.bwlimit));
      if (sources.includes('-')) {
        if (
          sources.length !== 1 ||
          !isRemote(target) ||
          options.recursive ||
          options.resume ||
          dryRun ||
          version !== undefined
        )
          throw usageFault('standard input becomes one remote object: `svc cp - svc:PROVIDER/BUCKET/KEY`');
        const bytes = await copyFromStdin(edge, connection, parseObject(target), {
          contentType: options.contentType,
          stored,
        });
        report(edge, command, { ...nothingCopied(), copied: 1, bytes }, [`copied 1 file (${sizeText(bytes)})`]);
        return;
      }
      if (target === '-') {
        const [source = ''] = sources;
        if (sources.length !== 1 || !isRemote(source) || options.recursive || dryRun)
          throw usageFault('to standard output goes one remote object: `svc cp svc:PROVIDER/BUCKET/KEY -`');
        await downloadTo(connection, { ...parseObject(source), version }, edge.stdout);
        return;
      }
      const tasks = planCopy(connection, { sources, target, recursive: options.recursive === true, version, filter });
      const progress = await openProgress(edge, { quiet: options.quiet === true || wantsJson(command) });
      const { tell, changes } = changeTeller(progress, wantsJson(command));
      edge.beforeInterrupt(() => {
        progress.stop();
        edge.printError('interrupted; give the same command again, with --resume to leave out what is done');
      });
      const outcome = nothingCopied();
      const tellEnd = (): void => {
        progress.stop();
        report(edge, command, dryRun ? { ...outcome, dryRun, changes } : outcome, [copiedText(outcome, dryRun)]);
      };
      const run = {
        jobs,
        resume: options.resume === true,
        move: false,
        dryRun,
        ...(dryRun && { tell }),
        contentType: options.contentType,
        stored,
        remembered: new RememberedUploads(edge.env, connection.server),
      };
      try {
        await tellingEnd(outcome, tellEnd, () => runCopy(connection, tasks, run, progress, outcome));
      } finally {
        progress.stop();
      }
    });
}
