import type { Command } from 'commander';
import { CONFIG_OPTION } from './config-option.ts';
import type { Edge } from './edge.ts';
import { gathered } from './gathered.ts';
import type { UnusedOptions } from './policy-unused.ts';
import { printPatch, report, told } from './report.ts';

export function addPolicyUnused(policy: Command, edge: Edge): void {
  policy
    .command('unused')
    .description('what is granted against what is used, and narrower rules')
    .option(...CONFIG_OPTION)
    .option('-s, --since <time>', 'a day or a time, such as 2026-05-04 or 2026-05-04T08:00Z, or how long ago: 90d, 12h', '90d')
    .option('--from <time>', 'the same as --since')
    .option('--to <time>', 'before this time, or this long ago; by default now')
    .option('-a, --audit <folder>', 'the audit in files; by default that of the configuration')
    .option('-k, --key <key>', 'with --audit: a public key that signed it; may be repeated', gathered)
    .option('--patch', 'print only the patch of the configuration')
    .addHelpText(
      'after',
      `
Counts, for each allow rule, the requests of the audit that it allowed: how
often, by how many people, when first and last. Proposes to remove actions and
places that were not used, and prefixes under which all use lies, as a patch for
\`git apply\` or \`patch -p1\`. What was used stays allowed, and so does what a case
of \`policy.tests\` expects. Deny rules stay.

The audit is verified first. It has to reach back as far as --since, and to hold
the folders of all instances. What was denied is no use. Listing is not judged,
because no rule decides a listing as a whole; neither is reading objects where
\`audit.reads\` was \`none\`. Look at prefixes that hold a date.

Exit status 1 when the audit is too short or not as it was written.

Examples:
  svc policy unused --since 90d
  svc policy unused --since 2026-05-01 --to 2026-06-01 --json
  svc policy unused --since 90d --patch | git apply
  svc policy unused --audit /mnt/audit --key J8jJ0d0gTq0rj3hGmUf7sEJm2...`,
    )
    .action(async ({ patch, ...options }: UnusedOptions & { readonly patch?: true }, command: Command) => {
      const { findUnused } = await import('./policy-unused.ts');
      const { unusedJson, unusedLines } = await import('./policy-unused-text.ts');
      const unused = await findUnused(edge, options);
      for (const note of unused.notes) edge.printError(told(edge, `note: ${note}`));
      if (patch === true) printPatch(edge, unused.patch);
      else report(edge, command, unusedJson(unused), unusedLines(unused));
    });
}
