import type { Command } from 'commander';
import { usageFault } from './cli-failure.ts';
import { connect, wantsJson } from './connect.ts';
import { planCopy } from './copy-plan.ts';
import { runCopy, throwIfAnyFailed } from './copy-run.ts';
import { downloadTo } from '../client/download.ts';
import type { Edge } from './edge.ts';
import { openProgress } from './progress.ts';
import { RememberedUploads } from '../client/remembered-uploads.ts';
import { isRemote, parseObject, sourcesAndTarget } from './remote-path.ts';
import { report } from './report.ts';
import { count, sizeText } from './text.ts';

type CpOptions = { readonly recursive?: true; readonly resume?: true; readonly jobs: string; readonly quiet?: true; readonly contentType?: string };

const MAX_JOBS = 32;

export function addCp(program: Command, edge: Edge): void {
  program
    .command('cp')
    .description('copy files and folders, up, down or between buckets')
    .argument('<path...>', 'one or more sources, then the target: local paths, or remote ones that begin with `svc:`; the target `-` is standard output')
    .usage('[options] SOURCE... TARGET')
    .option('-r, --recursive', 'folders, with everything beneath')
    .option('--resume', 'leave out files that are there already')
    .option('-j, --jobs <number>', 'how many files and parts at once, 1 to 32', '8')
    .option('-q, --quiet', 'no progress bar')
    .option('--content-type <type>', 'for uploads, instead of what the name tells')
    .addHelpText(
      'after',
      `
A remote path begins with \`svc:\`, as in \`svc:PROVIDER/BUCKET/KEY\`; everything
else is local. A local file whose name begins with \`svc:\` is written \`./svc:…\`.
The key is taken as it is, so put it in quotes.

A target that ends with \`/\`, is a bucket, or is an existing local folder
receives the file under its name. With -r the contents of the source folder land
beneath the target; with several sources each keeps its name.

What is at the target already is replaced. To leave out what is there and the
same, give --resume (not between buckets, where every object is copied).

A download that breaks off leaves a \`.part\` file, and the next \`svc cp\` goes on
from there, provided that the object is still the same. An upload appears whole
or not at all. A file over 16 MiB goes in parts of 8 MiB or more; when it breaks
off, the same command sends only the parts that are missing, provided that the
file is still the same. What is needed for that is kept in
\`$XDG_STATE_HOME/svc/uploads\` (\`~/.local/state/svc/uploads\`), and no credential
with it. \`svc uploads\` lists uploads that broke off, and drops those that are
not wanted any more.

With --resume, files that are there already are left out: those of the same size
whose checksum is the same, where storage has one (an ETag that is an MD5, or is
made of parts of the size that \`svc cp\` sends). Where it has none, the size
decides, unless the source is newer; the last line says how often. A
key that is no safe local path (\`../x\`, \`a//b\`) is refused with -r, and named.
Two sources never go to one target: the second fails, also when their names
differ only in case and the local system cannot tell them apart.

What fails is named on standard error and the rest goes on; the exit status is
then 1, or 3 when your policies were the reason for each. Asks for \`objects:get\`
on what is read, \`objects:list\` with -r, and \`objects:write\` on what is written.

Examples:
  svc cp 'svc:main/photos/2025/sea & sky.jpg' .
  svc cp report.pdf svc:main/reports/
  svc cp -r -j 8 --resume ./album svc:main/photos/album
  svc cp -r svc:main/photos/2025 ./2025
  svc cp svc:main/reports/q1.csv - | head
  svc cp svc:main/reports/q1.csv svc:archive/reports/`,
    )
    .action(async (paths: string[], options: CpOptions, command: Command) => {
      const { sources, target } = sourcesAndTarget(paths);
      const jobs = Number(options.jobs);
      if (!Number.isInteger(jobs) || jobs < 1 || jobs > MAX_JOBS) throw usageFault(`--jobs takes a number from 1 to ${MAX_JOBS}`);
      const connection = await connect(edge, command);
      if (target === '-') {
        const [source = ''] = sources;
        if (sources.length !== 1 || !isRemote(source) || options.recursive) throw usageFault('to standard output goes one remote object: `svc cp svc:PROVIDER/BUCKET/KEY -`');
        await downloadTo(connection, parseObject(source), edge.stdout);
        return;
      }
      const tasks = planCopy(connection, { sources, target, recursive: options.recursive === true });
      const progress = await openProgress(edge, { quiet: options.quiet === true || wantsJson(command) });
      edge.beforeInterrupt(() => {
        progress.stop();
        edge.printError('interrupted; give the same command again, with --resume to leave out what is done');
      });
      try {
        const outcome = await runCopy(connection, tasks, { jobs, resume: options.resume === true, move: false, contentType: options.contentType, remembered: new RememberedUploads(edge.env, connection.server) }, progress);
        progress.stop();
        const guessed = outcome.guessed === 0 ? '' : ` (${outcome.guessed} by size and time alone)`;
        const skipped = outcome.skipped === 0 ? '' : `, ${outcome.skipped} left out${guessed}`;
        report(edge, command, outcome, [`copied ${count(outcome.copied, 'file')}${outcome.bytes === 0 ? '' : ` (${sizeText(outcome.bytes)})`}${skipped}`]);
        throwIfAnyFailed(outcome.failed);
      } finally {
        progress.stop();
      }
    });
}
