import type { Command } from 'commander';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION } from '../argument/config-option.ts';
import { loadPolicies } from './configured-policies.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';

export function addPolicyTest(policy: Command, edge: Edge): void {
  policy
    .command('test')
    .description('test the decisions of a configuration with files of cases')
    .argument('[file...]', 'YAML file with a list of cases; default: the files of `policy.tests`')
    .option(...CONFIG_OPTION)
    .option('--junit <file>', 'also write the results as JUnit XML, for a build server')
    .addHelpText(
      'after',
      `
Each case says who requests what, and the expected decision:

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

\`issuer\` is optional; the default is the configured one. \`because\` is a comment
for readers.

Prints a row for each case with the rule that decided it, and names each rule
that decided no case. The percentage is rounded down. The service runs the files
of \`policy.tests\` at each start and reload too.

Exit status 0 if all cases pass, 1 if not.

Examples:
  svc policy test cases.yaml
  svc policy test --config /etc/svc.yaml --junit results.xml`,
    )
    .action(
      async (given: readonly string[], { config, junit }: { config: string; junit?: string }, command: Command) => {
        const loaded = await loadPolicies(edge, config);
        const files = given.length > 0 ? given : loaded.tests;
        if (files.length === 0) throw usageFault('name a file of cases, or set `policy.tests` in the configuration');
        const { failureLines, runPolicyTests, testJson, testTable, writeJunit } = await import('./policy-test.ts');
        const run = runPolicyTests(files, loaded);
        const failures = failureLines(run);
        if (junit !== undefined) await writeJunit(junit, run);
        for (const line of failures) edge.printError(line);
        report(edge, command, testJson(run), testTable(run, loaded));
        if (failures.length > 0) throw new CliFailure(EXIT.failed, '', 'policy_test');
      },
    );
}
