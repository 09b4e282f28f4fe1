import type { Command } from 'commander';
import { atomicActions } from '../../policy/model/action.ts';
import { dotsIn } from '../../config/compile/bucket-owners.ts';
import { prefixFault } from '../../policy/model/name.ts';
import { didYouMean } from '../../config/read/nearest.ts';
import { explainRequest } from '../../policy/answers/explain-request.ts';
import type { Identity } from '../../policy/model/identity.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION } from '../argument/config-option.ts';
import { loadPolicies, type LoadedPolicies } from './configured-policies.ts';
import type { Edge } from '../terminal/edge.ts';
import { gathered } from '../argument/gathered.ts';
import { changesBetween, diffMarkdown, isGain } from './policy-diff.ts';
import { addPolicyTest } from './policy-test-verb.ts';
import { addPolicyUnused } from './policy-unused-verb.ts';
import { whoAnswers, whoLines } from './policy-who.ts';
import { KEYS_OPTION, keysOfService } from './named-keys.ts';
import { rulesText, ruleText, selectorText } from './policy-text.ts';
import { parseRemote } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { ACTIONS_HELP, parseAction } from '../argument/scope-option.ts';
import { resourceFor } from '../argument/asked-resource.ts';

type Who = {
  readonly config: string;
  readonly subject?: string;
  readonly issuer?: string;
  readonly group?: readonly string[];
};

export function addPolicy(program: Command, edge: Edge): void {
  const policy = program
    .command('policy')
    .configureHelp({ showGlobalOptions: false })
    .description(
      'answer questions about the policies of a configuration, without a server: explain, who, list, diff, test, unused',
    )
    .addHelpText(
      'after',
      `
These commands read policies, roles and bindings, and need no secrets: variables
elsewhere in the configuration may be unset. \`svc config check\` reports those.

Examples:
  svc policy explain -s ada -g editors objects:write main/photos/a.jpg
  svc policy who objects:get main/photos/a.jpg
  svc policy list
  svc policy diff old.yaml new.yaml
  svc policy test cases.yaml
  svc policy unused --since 90d`,
    );

  policy
    .command('explain')
    .description('show whether a person may do something, and why')
    .argument('<action>', 'an action, such as objects:get')
    .argument('<path>', 'PROVIDER, PROVIDER/BUCKET or PROVIDER/BUCKET/KEY, depending on the action')
    .option(...CONFIG_OPTION)
    .requiredOption('-s, --subject <subject>', "the person's subject claim; required")
    .option('-i, --issuer <issuer>', 'the identity provider; default: the configured one')
    .option('-g, --group <group>', 'a group of the person; may be repeated', gathered)
    .addHelpText(
      'after',
      `
Uses the evaluator of the service. Shows every rule that matches, with its
selector, from the widest to the narrowest. Rules are numbered from 1; with
--json, \`rule\` is an index from 0. Exit status 0 if it is allowed, 3 if not.

${ACTIONS_HELP}

Examples:
  svc policy explain -s ada -g editors objects:write main/photos/a.jpg
  svc policy explain -c /etc/svc.yaml -s ada --json buckets:create main/new-one`,
    )
    .action((action: string, path: string, who: Who, command: Command) =>
      explainOne(edge, command, { action, path, who }),
    );

  policy
    .command('who')
    .description('show who may do something, who may not, and why')
    .argument('<action>', 'an action, such as objects:get')
    .argument('<path>', 'PROVIDER, PROVIDER/BUCKET or PROVIDER/BUCKET/KEY, depending on the action')
    .option(...CONFIG_OPTION)
    .option(...KEYS_OPTION)
    .addHelpText(
      'after',
      `
Lists every group and person that a rule affects there, with each rule, the
binding or local user that gives it, and its line. A person may do it if one of
their groups or their subject may, and none may not.

For an action on objects, the path may be a bucket, or a folder with its slash.
It then means an object there that no rule names more closely, such as a new
one.

Rules and bindings are numbered from 1, \`auth.bindings\` before \`bindings\`; with
--json, indexes are from 0.

${ACTIONS_HELP}

Examples:
  svc policy who objects:get main/photos/a.jpg
  svc policy who objects:write main/photos/2025/
  svc policy who --keys objects:delete main/photos/2025/
  svc policy who -c /etc/svc.yaml --json buckets:create main/new-one`,
    )
    .action(
      async (action: string, path: string, { config, keys }: { config: string; keys?: true }, command: Command) => {
        const actions = atomicActions(parseAction(action));
        const loaded = await loadPolicies(edge, config);
        const named = keys === true ? await keysOfService(edge, command) : undefined;
        const answers = actions.flatMap((one) => whoAnswers(loaded, one, path, named));
        checkPlace(edge, loaded, path);
        report(
          edge,
          command,
          { answers },
          answers.flatMap((answer) => whoLines(loaded, answer, path)),
        );
      },
    );

  policy
    .command('list')
    .description('list all roles and policies with their normalized rules')
    .option(...CONFIG_OPTION)
    .addHelpText(
      'after',
      `
Shows imported IAM documents and built-in policies as the rules to which they
compile.

Examples:
  svc policy list
  svc policy list --config /etc/svc.yaml --json | jq -r '.policies[].name'`,
    )
    .action(async ({ config }: { config: string }, command: Command) => {
      const { definition } = await loadPolicies(edge, config);
      const { policies, roles, bindings } = definition;
      const lines = [
        ...policies.flatMap(({ name, source, rules }) => [
          `${name} (${source})`,
          ...rulesText(rules).map((line, i) => `  ${i + 1} ${line}`),
        ]),
        ...roles.map((role) => `role ${role.name}: ${role.policies.join(', ') || 'no policies'}`),
      ];
      report(edge, command, { policies, roles, bindings }, lines);
    });

  policy
    .command('diff')
    .description('show who gains and who loses what between two configurations')
    .argument('<old>', 'the old configuration')
    .argument('<new>', 'the new configuration')
    .addHelpText(
      'after',
      `
Compares every possible request, not a sample, whether its object exists or not.
The answer is Markdown, for a pull request. It lists the changes for each group
and subject that one of the files names, and for each pair of them that has a
change together but not alone. Combinations of more than two are never needed:
every gain appears in one of these lines.

Each line has an example that you can give to \`svc policy explain\`. Exit status
1 if anything is gained, 0 if not.

Examples:
  svc policy diff old.yaml new.yaml
  git show main:svc.config.yaml | svc policy diff /dev/stdin svc.config.yaml
  svc policy diff --json old.yaml new.yaml | jq '.changes[].gained'`,
    )
    .action(async (old: string, changed: string, _options: object, command: Command) => {
      const [before, after] = await Promise.all([
        loadPolicies(edge, old, { hints: [] }),
        loadPolicies(edge, changed, { hints: [] }),
      ]);
      const changes = await changesBetween(before.definition, after.definition);
      report(edge, command, { changes }, diffMarkdown(changes));
      if (changes.some(isGain)) throw new CliFailure(EXIT.failed, '', 'policy_gain');
    });

  addPolicyTest(policy, edge);
  addPolicyUnused(policy, edge);
}

/**
 * Warns because policies are compared by name and also answer for a provider that does not exist.
 *
 * @throws {CliFailure} usage: the service refuses the key before it asks policy.
 */
function checkPlace(edge: Edge, { buckets }: LoadedPolicies, path: string): void {
  const { provider, key } = parseRemote(path);
  const fault = prefixFault(key, dotsIn(buckets)(provider));
  const known = buckets.map((one) => one.provider);
  if (!known.includes(provider))
    edge.printError(`warning: no provider is named \`${provider}\`${didYouMean(provider, known)}`);
  else if (fault !== undefined) throw usageFault(`\`${path}\`: the key ${fault}`);
}

async function explainOne(
  edge: Edge,
  command: Command,
  { action, path, who }: { readonly action: string; readonly path: string; readonly who: Who },
): Promise<void> {
  const actions = atomicActions(parseAction(action));
  const resources = actions.map((one) => resourceFor(one, path));
  const loaded = await loadPolicies(edge, who.config);
  const identity: Identity = {
    issuer: who.issuer ?? loaded.issuer,
    subject: who.subject ?? '',
    groups: who.group ?? [],
  };
  const held = loaded.policies.grantsFor(identity);
  const answers = actions.map((one, i) => {
    const { matches, ...answer } = explainRequest(held.grants, one, resources[i]!);
    return {
      action: one,
      ...answer,
      matches: matches.map((match) => ({
        ...match,
        file: loaded.lines.ofRule(match.rule)?.file,
        line: loaded.lines.ofRule(match.rule)?.line,
      })),
    };
  });
  const allowed = answers.every(({ decision }) => decision.allowed);
  const lines = [
    `roles: ${held.roles.join(', ') || 'none'}; policies: ${held.policies.map(({ name }) => name).join(', ') || 'none'}`,
    ...answers.flatMap(({ action: one, decision, matches }) => [
      `${one} on ${path}: ${decision.allowed ? 'allowed' : decision.reason === 'explicit_deny' ? 'denied by a rule' : 'denied: no rule allows it'}`,
      ...matches.map(
        ({ rule, effect, selector }) =>
          `  ${effect} by ${ruleText(rule, loaded.lines.ofRule(rule))}, on ${selectorText(selector)}`,
      ),
    ]),
  ];
  checkPlace(edge, loaded, path);
  report(
    edge,
    command,
    { allowed, identity, roles: held.roles, policies: held.policies.map(({ name }) => name), answers },
    lines,
  );
  if (!allowed) throw new CliFailure(EXIT.denied, '', 'access_denied');
}
