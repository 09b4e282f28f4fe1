import { Option, type Command } from 'commander';
import { usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION } from '../argument/config-option.ts';
import { KEYS_OPTION, keysOfService } from '../policy/named-keys.ts';
import { loadPolicies, type LoadedPolicies } from '../policy/configured-policies.ts';
import type { Edge } from '../terminal/edge.ts';
import { diffMarkdown } from '../policy/policy-diff.ts';
import { printPatch, report, wantsJson } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

type ReviewOptions = {
  readonly config: string;
  readonly format: 'csv' | 'html';
  readonly owner?: string;
  readonly apply?: string;
  readonly keys?: true;
};

export function addAccess(program: Command, edge: Edge): void {
  const access = program
    .command('access')
    .configureHelp({ showGlobalOptions: false })
    .description('review who may do what, bucket by bucket: review')
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
    .description('print who may do what in each bucket, and why')
    .option(...CONFIG_OPTION)
    .addOption(new Option('--format <format>', 'output format').choices(['csv', 'html']).default('csv'))
    .option('--owner <owner>', 'only the buckets of this owner')
    .option(...KEYS_OPTION)
    .option('--apply <csv>', 'print a patch that applies the decisions in this file')
    .addHelpText(
      'after',
      `
Prints a line for each bucket, each group or person, and each rule that they
have there: the access that the rule gives, the binding, role, policy and rule
with file and line, and the owner of the bucket (\`providers[].owner\` and
\`owners\`). Needs no server and no secrets. The buckets are those that the
configuration names; all other buckets of a provider are one place. With --keys,
each line names the keys of its group or person that reach into the bucket.

The page of --format html is complete in itself and made for printing. In CSV, a
cell begins with an apostrophe if a spreadsheet would read it as a formula.

Write your decision into the column \`decision\`: \`keep\` (or nothing), \`remove\`,
or \`narrow\` with the remaining access in \`narrow_to\` (\`list, read\`). --apply
prints a patch for \`git apply\` that removes exactly that access. On standard
error, it prints what changes, as \`svc policy diff\` does. If other access would
be lost too, or the configuration has changed, it prints only the reason, with
exit status 1.

Examples:
  svc access review --format html > review.html
  svc access review -c /etc/svc.yaml --owner cfo@example.com > finance.csv
  svc access review -c /etc/svc.yaml --apply finance.csv > finance.patch`,
    )
    .action(async ({ config, format, owner, apply, keys }: ReviewOptions, command: Command) => {
      const loaded = await loadPolicies(edge, config);
      if (apply !== undefined) {
        await printReviewed(edge, command, loaded, { config, apply });
        return;
      }
      const { writeReview } = await import('./access-review.ts');
      const written = await writeReview(
        loaded,
        {
          config,
          format: wantsJson(command) ? 'json' : format,
          ...(owner !== undefined && { owner }),
          ...(keys === true && { keys: await keysOfService(edge, command) }),
        },
        edge.stdout,
      );
      if (owner !== undefined && written === 0)
        throw usageFault(`nobody is named \`${owner}\` as the owner of a bucket in which somebody may do something`);
    });
}

/** Prints the patch to standard output, and everything else to standard error. */
async function printReviewed(
  edge: Edge,
  command: Command,
  loaded: LoadedPolicies,
  { config, apply }: { readonly config: string; readonly apply: string },
): Promise<void> {
  const { applyReview } = await import('./review-apply.ts');
  const applied = applyReview(loaded, { env: edge.env, file: config, filled: apply, directory: process.cwd() });
  if (wantsJson(command)) {
    report(edge, command, applied, []);
    return;
  }
  const { patch, removed, narrowed, changes } = applied;
  printPatch(edge, patch);
  const diff =
    changes === undefined
      ? ['`svc policy diff` cannot tell so many people apart; each line was checked']
      : diffMarkdown(changes);
  for (const line of [`${count(removed, 'line')} taken away, ${narrowed} narrowed`, '', ...diff]) edge.printError(line);
}
