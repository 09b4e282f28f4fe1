import type { Command } from 'commander';
import { CONFIG_OPTION } from '../argument/config-option.ts';
import type { Edge } from '../terminal/edge.ts';
import { gathered } from '../argument/gathered.ts';
import { KEYS_OPTION, keysNotUsed, keysOfService } from './named-keys.ts';
import type { UnusedOptions } from './policy-unused.ts';
import { printPatch, report } from '../terminal/report.ts';

type Options = UnusedOptions & { readonly patch?: true; readonly keys?: true };

export function addPolicyUnused(policy: Command, edge: Edge): void {
  policy
    .command('unused')
    .description('find unused grants, and propose narrower rules')
    .option(...CONFIG_OPTION)
    .option(
      '-s, --since <time>',
      'a day or a time, such as 2026-05-04 or 2026-05-04T08:00Z, or an age: 90d, 12h',
      '90d',
    )
    .option('--from <time>', 'the same as --since')
    .option('--to <time>', 'before this time or age; default: now')
    .option('-a, --audit <folder>', 'the folder of the audit; default: that of the configuration')
    .option('-k, --key <key>', 'with --audit: a public key of the signatures; may be repeated', gathered)
    .option('--patch', 'print only the patch')
    .option(...KEYS_OPTION)
    .addHelpText(
      'after',
      `
Counts the requests in the audit that each allow rule allowed: how often, by how
many people, first and last. Proposes to remove unused actions and places, and
to narrow a place to a prefix that contains all its use, as a patch for \`git
apply\` or \`patch -p1\`. Everything that was used stays allowed, and so do the
cases of \`policy.tests\`. Deny rules stay.

Verifies the audit first. The audit has to reach back as far as --since, and to
contain the folders of all instances. Denied requests do not count as use.
Listing is not judged, because no single rule decides a whole listing. Reading
objects is not judged where \`audit.reads\` was \`none\`. Check prefixes that
contain a date. With --keys, it also names the keys that nobody used since then.

Exit status 1 if the audit is too short or was changed.

Examples:
  svc policy unused --since 90d
  svc policy unused --since 2026-05-01 --to 2026-06-01 --json
  svc policy unused --since 90d --patch | git apply
  svc policy unused --audit /mnt/audit --key J8jJ0d0gTq0rj3hGmUf7sEJm2...`,
    )
    .action(async ({ patch, keys, ...options }: Options, command: Command) => {
      const { findUnused } = await import('./policy-unused.ts');
      const { unusedJson, unusedLines } = await import('./policy-unused-text.ts');
      const unused = await findUnused(edge, options);
      const unusedKeys = keys === true ? keysNotUsed(await keysOfService(edge, command), unused.span) : [];
      for (const note of [...unused.notes, ...unusedKeys]) edge.printError(`note: ${note}`);
      if (patch === true) printPatch(edge, unused.patch);
      else report(edge, command, unusedJson(unused), unusedLines(unused));
    });
}
