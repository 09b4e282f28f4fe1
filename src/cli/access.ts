import { Option, type Command } from 'commander';
import { usageFault } from './cli-failure.ts';
import { CONFIG_OPTION } from './config-option.ts';
import { loadPolicies, type LoadedPolicies } from './configured-policies.ts';
import { wantsJson } from './connect.ts';
import type { Edge } from './edge.ts';
import { diffMarkdown } from './policy-diff.ts';
import { printPatch, told } from './report.ts';
import { count } from './text.ts';

type ReviewOptions = { readonly config: string; readonly format: 'csv' | 'html'; readonly owner?: string; readonly apply?: string };

export function addAccess(program: Command, edge: Edge): void {
  const access = program
    .command('access')
    .configureHelp({ showGlobalOptions: false })
    .description('look over who may do what, bucket by bucket: review')
    .addHelpText(
      'after',
      `
Examples:
  svc access review --format html > review.html
  svc access review > review.csv
  svc access review --apply review.csv > review.patch`,
    );

  access
    .command('review')
    .description('a list to be reviewed: who may do what in each bucket, and why')
    .option(...CONFIG_OPTION)
    .addOption(new Option('--format <format>', 'how it is printed').choices(['csv', 'html']).default('csv'))
    .option('--owner <owner>', 'only the buckets that this owner answers for')
    .option('--apply <csv>', 'carry out the decisions in this table: print a patch')
    .addHelpText(
      'after',
      `
A line for each bucket, each group or person, and each rule that they have
there: what it gives, by which binding, role, policy and rule, with file and
line, and who answers for the bucket (\`providers[].owner\` and \`owners\`). Needs
no server and no secret of the service. Buckets are those that the configuration
names; all others of a provider are one place.

The page of --format html needs nothing else, and is made to be printed. In CSV,
cells that a spreadsheet would take for a formula begin with an apostrophe.

A decision goes into the column \`decision\`: \`keep\` (or nothing), \`remove\`, or
\`narrow\`, with what is to stay in \`narrow_to\` (\`list, read\`). --apply prints a
patch for \`git apply\` that takes away exactly that, and on standard error what
changes, as \`svc policy diff\` does. Where something else would be lost with it,
or the configuration says something else by now, nothing is printed but why:
exit status 1.

Examples:
  svc access review --format html > review.html
  svc access review -c /etc/svc.yaml --owner cfo@example.com > finance.csv
  svc access review -c /etc/svc.yaml --apply finance.csv > finance.patch`,
    )
    .action(async (options: ReviewOptions, command: Command) => {
      const loaded = await loadPolicies(edge, options.config);
      if (options.apply !== undefined) {
        await printReviewed(edge, command, loaded, { config: options.config, apply: options.apply });
        return;
      }
      const { writeReview } = await import('./access-review.ts');
      const written = await writeReview(loaded, { ...options, format: wantsJson(command) ? 'json' : options.format }, edge.stdout);
      if (options.owner !== undefined && written === 0) throw usageFault(`nobody is named \`${options.owner}\` as the owner of a bucket in which somebody may do something`);
    });
}

/** The patch alone goes to standard output. */
async function printReviewed(edge: Edge, command: Command, loaded: LoadedPolicies, { config, apply }: { readonly config: string; readonly apply: string }): Promise<void> {
  const { applyReview } = await import('./review-apply.ts');
  const applied = applyReview(loaded, { env: edge.env, file: config, filled: apply, directory: process.cwd() });
  if (wantsJson(command)) {
    edge.print(JSON.stringify(applied, null, 2));
    return;
  }
  const { patch, removed, narrowed, changes } = applied;
  printPatch(edge, patch);
  const diff = changes === undefined ? ['`svc policy diff` cannot tell so many people apart; each line was checked'] : diffMarkdown(changes);
  for (const line of [`${count(removed, 'line')} taken away, ${narrowed} narrowed`, '', ...diff]) edge.printError(told(edge, line));
}
