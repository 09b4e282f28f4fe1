import type { Command } from 'commander';
import { CliFailure, EXIT, usageFault } from './cli-failure.ts';
import { CONFIG_OPTION } from './config-option.ts';
import { loadPolicies } from './configured-policies.ts';
import type { Edge } from './edge.ts';
import { report, told } from './report.ts';

export function addPolicyTest(policy: Command, edge: Edge): void {
  policy
    .command('test')
    .description('check what a configuration decides against files of cases')
    .argument('[file...]', 'YAML: a list of cases; by default the files of `policy.tests`')
    .option(...CONFIG_OPTION)
    .option('--junit <file>', 'also write what came out as JUnit XML, for a build server')
    .addHelpText(
      'after',
      `
Each case says who asks for what, and what has to come out of it:

  - subject: ada
    groups: [editors]
    action: objects:write
    path: main/photos/a.jpg
    expect: allow
  - subject: bob
    action: objects:get
    path: main/photos/a.jpg
    expect: deny
    because: bob is in no group

\`issuer\` may be given too; without it the configured one is meant. \`because\` is
for the reader.

Prints a row for each case with the rule that decided it, and names each rule by
which no case is decided. The percentage is rounded down. Files that the
configuration names in \`policy.tests\` are asked at each start and reload too.

Exit status 0 when all come out so, 1 when not.

Examples:
  svc policy test cases.yaml
  svc policy test --config /etc/svc.yaml --junit results.xml`,
    )
    .action(async (given: readonly string[], { config, junit }: { config: string; junit?: string }, command: Command) => {
      const loaded = await loadPolicies(edge, config);
      const files = given.length > 0 ? given : loaded.tests;
      if (files.length === 0) throw usageFault('name a file of cases, or set `policy.tests` in the configuration');
      const { failureLines, runPolicyTests, testJson, testTable, writeJunit } = await import('./policy-test.ts');
      const run = runPolicyTests(files, loaded);
      const failures = failureLines(run);
      if (junit !== undefined) await writeJunit(junit, run);
      for (const line of failures) edge.printError(told(edge, line));
      report(edge, command, testJson(run), testTable(run, loaded));
      if (failures.length > 0) throw new CliFailure(EXIT.failed, '', 'policy_test');
    });
}
