import type { Command } from 'commander';
import { compareKeys } from '../../policy/index/key-order.ts';
import { connect } from '../argument/connect.ts';
import { FILTER_HELP, filterOf, withFilter, type FilterOptions } from '../argument/name-filter.ts';
import type { KeyPath } from '../argument/remote-path.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { failureText } from '../terminal/failure-text.ts';
import { report } from '../terminal/report.ts';
import { inParallel } from './in-parallel.ts';
import { sourceText, type CopyTask } from './copy-task.ts';
import { parseJobs } from './cp.ts';
import { planSync } from './sync-plan.ts';
import { compareBy, placesOf, withComparison, type ComparisonOptions, type SyncPlaces } from './sync-question.ts';

type DiffOptions = FilterOptions & ComparisonOptions & { readonly jobs: string };
type Difference = { readonly name: string; readonly is: keyof typeof SIGNS };

const SIGNS = { 'only in source': '+', 'only in target': '-', different: '!' } as const;

export function addDiff(program: Command, edge: Edge): void {
  const command = program
    .command('diff')
    .description('show in what two folders differ')
    .argument('<source>', 'a folder. Remote paths begin with `svc:`, all others are local')
    .argument('<target>', 'the folder with which it is compared');
  withFilter(withComparison(command))
    .option('-j, --jobs <number>', 'number of concurrent comparisons, 1 to 32', '8')
    .addHelpText(
      'after',
      `
Prints what \`svc sync --delete SOURCE TARGET\` would change: \`+\` before what only
the source has, \`-\` before what only the target has, \`!\` before what differs.
Files are compared as by \`svc sync\`. Only what you may list is compared.

${FILTER_HELP}

Exit status 0 if nothing differs, 1 if something does or could not be compared.
--json prints \`[{name, is}]\`, with \`is\` of "only in source", "only in target"
or "different". Required actions: \`objects:list\` on remote folders, and
\`objects:get\` where times are compared.

Examples:
  svc diff ./site svc:main/www
  svc diff --checksum svc:main/photos svc:archive/photos
  svc diff svc:main/photos ./photos --include '*.jpg'`,
    )
    .action(async (source: string, target: string, options: DiffOptions, command: Command) => {
      const places = placesOf(source, target);
      const jobs = parseJobs(options.jobs);
      const question = { ...places, by: compareBy(options), filter: filterOf(options), deletes: false };
      const connection = await connect(edge, command);
      const { tasks, extra } = await planSync(connection, question);
      const found: Difference[] = [];
      let failures = 0;
      const compare = async (task: CopyTask): Promise<void> => {
        try {
          const difference = await differenceOf(task, places);
          if (difference !== undefined) found.push(difference);
        } catch (error) {
          failures += 1;
          edge.printError(`${sourceText(task)}: ${failureText(error).message}`);
        }
      };
      await inParallel(tasks, jobs, compare);
      for (const name of extra.keys()) found.push({ name, is: 'only in target' });
      found.sort((a, b) => compareKeys(a.name, b.name));
      report(
        edge,
        command,
        found,
        found.map(({ name, is }) => `${SIGNS[is]} ${name}`),
      );
      if (found.length + failures > 0) throw new CliFailure(EXIT.failed, '', failures > 0 ? 'failed' : 'different');
    });
}

/** @throws what kept it from being compared. */
async function differenceOf(task: CopyTask, { from, to }: SyncPlaces): Promise<Difference | undefined> {
  if (task.kind === 'fail') throw task.error;
  if (task.kind === 'skip') throw new CliFailure(EXIT.failed, `left out: ${task.why}`);
  const name =
    task.kind === 'download'
      ? task.from.key.slice((from as KeyPath).key.length)
      : task.to.key.slice((to as KeyPath).key.length);
  if (task.compare === undefined) return { name, is: 'only in source' };
  return (await task.compare()) === 'different' ? { name, is: 'different' } : undefined;
}
