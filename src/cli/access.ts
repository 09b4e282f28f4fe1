import { Option, type Command } from 'commander';
import { usageFault } from './cli-failure.ts';
import { CONFIG_OPTION, loadPolicies } from './configured-policies.ts';
import type { Edge } from './edge.ts';

type ReviewOptions = { readonly config: string; readonly format: 'csv' | 'html'; readonly owner?: string };

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
  svc access review > review.csv`,
    );

  access
    .command('review')
    .description('a list to be reviewed: who may do what in each bucket, and why')
    .option(...CONFIG_OPTION)
    .addOption(new Option('--format <format>', 'how it is printed').choices(['csv', 'html']).default('csv'))
    .option('--owner <owner>', 'only the buckets that this owner answers for')
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

Examples:
  svc access review --format html > review.html
  svc access review -c /etc/svc.yaml --owner cfo@example.com > finance.csv`,
    )
    .action(async (options: ReviewOptions) => {
      const loaded = await loadPolicies(edge, options.config);
      const { writeReview } = await import('./access-review.ts');
      const count = await writeReview(loaded, options, edge.stdout);
      if (options.owner !== undefined && count === 0) throw usageFault(`nobody is named \`${options.owner}\` as the owner of a bucket in which somebody may do something`);
    });
}
