import { dirname, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { ACTION_NAMES, ATOMIC_ACTIONS, atomicActions, isActionName, type AtomicAction } from '../policy/action.ts';
import type { Binding, Given, Holders, LocalUser, Role } from '../policy/binding.ts';
import { BUILT_IN_POLICIES } from '../policy/builtin.ts';
import type { PolicySetDefinition } from '../policy/policy-set.ts';
import type { Selector } from '../policy/resource.ts';
import type { Policy, Rule } from '../policy/rule.ts';
import { unmatchableRules } from '../policy/unmatchable.ts';
import type { Faults } from './fault.ts';
import { importIam } from './iam.ts';
import { parseJson } from './json-text.ts';
import { didYouMean } from './nearest.ts';
import type { Config } from './schema.ts';

type PolicyDocument = NonNullable<NonNullable<Config['policy']>['policies']>[number];
type BindingEntry = NonNullable<Config['bindings']>[number];

export type PolicyContext = {
  /** The configuration file; `iam_file` is relative to it. */
  readonly file: string;
  readonly issuer: string;
  readonly providers: readonly string[];
  readonly faults: Faults;
  readonly warn: (message: string) => void;
};

/** Compiles both families' roles, policies and bindings to one definition. */
export function compilePolicy(config: Config, context: PolicyContext): PolicySetDefinition {
  const policies = compilePolicies(config, context);
  const policyNames = policies.map(({ name }) => name);
  const roles: Role[] = Object.entries(config.roles ?? {}).map(([name, role]) => {
    role.policies.forEach((policy, i) => checkName(policy, policyNames, 'policy', `roles.${name}.policies.${i}`, context.faults));
    return { name, policies: role.policies };
  });
  const known = { policies: policyNames, roles: roles.map(({ name }) => name) };
  const bindings = [
    ...(config.auth?.bindings ?? []).map((entry, i) => compileBinding(entry, `auth.bindings.${i}`, known, context)),
    ...(config.bindings ?? []).map((entry, i) => compileBinding(entry, `bindings.${i}`, known, context)),
  ].filter((binding) => binding !== undefined);
  const localUsers: LocalUser[] = (config.auth?.local_users ?? []).map(({ subject, roles: held }, i) => {
    held.forEach((role, j) => checkName(role, known.roles, 'role', `auth.local_users.${i}.roles.${j}`, context.faults));
    return { issuer: context.issuer, subject, roles: held };
  });
  return { policies, roles, bindings, localUsers, enabled: config.policy?.enabled ?? true };
}

function compilePolicies(config: Config, context: PolicyContext): Policy[] {
  const builtIn = config.policy?.defaults === true ? BUILT_IN_POLICIES : [];
  const taken = new Map<string, string>(builtIn.map(({ name }) => [name, 'a built-in policy']));
  const policies: Policy[] = [...builtIn];
  const documents = [
    ...(config.policy?.policies ?? []).map((document, i) => ({ document, path: `policy.policies.${i}`, versionNeeded: false })),
    ...(config.policies ?? []).map((document, i) => ({ document, path: `policies.${i}`, versionNeeded: true })),
  ];
  for (const { document, path, versionNeeded } of documents) {
    if (versionNeeded && document.version === undefined) context.faults.add(`${path}.version`, 'is missing; write `version: 1`');
    const first = taken.get(document.name);
    if (first !== undefined) context.faults.add(`${path}.name`, `\`${document.name}\` is the name of ${first} already`);
    else taken.set(document.name, `\`${path}\``);
    const policy = compileDocument(document, path, context);
    if (policy !== undefined) policies.push(policy);
  }
  return policies;
}

function compileDocument(document: PolicyDocument, path: string, context: PolicyContext): Policy | undefined {
  const given = (['rules', 'iam', 'iam_file'] as const).filter((member) => document[member] !== undefined);
  if (given.length !== 1) {
    context.faults.add(path, 'needs exactly one of `rules`, `iam` and `iam_file`');
    return undefined;
  }
  if (document.provider !== undefined && document.rules !== undefined) context.faults.add(`${path}.provider`, 'goes with `iam` or `iam_file`; in `rules` each selector names its provider');
  if (document.provider !== undefined) checkName(document.provider, context.providers, 'provider', `${path}.provider`, context.faults);
  const policy = document.rules === undefined ? importDocument(document, path, context) : { name: document.name, source: 'config' as const, rules: compileRules(document.rules, `${path}.rules`, context) };
  if (policy !== undefined) for (const { rule, message } of unmatchableRules(policy)) context.warn(`policy \`${policy.name}\`, rule ${rule.rule}: ${message}`);
  return policy;
}

function importDocument(document: PolicyDocument, path: string, context: PolicyContext): Policy | undefined {
  const inline = document.iam !== undefined;
  const source = inline ? document.iam : readIamFile(document.iam_file ?? '', `${path}.iam_file`, context);
  if (source === undefined) return undefined;
  const imported = importIam(source, document.provider, context.providers);
  const at = `${path}.${inline ? 'iam' : 'iam_file'}`;
  for (const { path: member, message } of imported.faults) context.faults.add(member === '' || !inline ? at : `${at}.${member}`, inline || member === '' ? message : `${member}: ${message}`);
  for (const note of imported.notes) context.warn(`policy \`${document.name}\`: ${note}`);
  return imported.faults.length > 0 ? undefined : { name: document.name, source: 'iam', rules: imported.rules };
}

function readIamFile(name: string, path: string, { file, faults }: PolicyContext): unknown {
  try {
    return parseJson(readFileSync(resolve(dirname(file), name), 'utf8'));
  } catch (error) {
    faults.add(path, `\`${name}\` ${error instanceof SyntaxError ? error.message : 'cannot be read'}`);
    return undefined;
  }
}

function compileRules(rules: NonNullable<PolicyDocument['rules']>, path: string, context: PolicyContext): Rule[] {
  return rules.map(({ effect, actions, resources }, i) => ({
    effect,
    actions: compileActions(actions, `${path}.${i}.actions`, context.faults),
    resources: resources.map((selector, j) => compileSelector(selector as SelectorEntry, `${path}.${i}.resources.${j}`, context)).filter((selector) => selector !== undefined),
  }));
}

function compileActions(names: readonly string[], path: string, faults: Faults): AtomicAction[] {
  const held = new Set<AtomicAction>();
  names.forEach((name, i) => {
    if (isActionName(name)) for (const action of atomicActions(name)) held.add(action);
    else if (name.includes('*')) faults.add(`${path}.${i}`, `\`${name}\`: there are no wildcards; name each action`);
    else faults.add(`${path}.${i}`, `no action is named \`${name}\`${didYouMean(name, ACTION_NAMES)}`);
  });
  return ATOMIC_ACTIONS.filter((action) => held.has(action));
}

/** As the file has it; which members belong to which type is checked here, for messages that say it. */
type SelectorEntry = { readonly type: Selector['type']; readonly provider?: string; readonly bucket?: string; readonly prefix?: string; readonly key?: string };

const MEMBERS = {
  all: [],
  provider: ['provider'],
  bucket: ['provider', 'bucket'],
  prefix: ['provider', 'bucket', 'prefix'],
  object: ['provider', 'bucket', 'key'],
} as const satisfies Record<Selector['type'], readonly string[]>;

function compileSelector(entry: SelectorEntry, path: string, { faults, providers, warn }: PolicyContext): Selector | undefined {
  const wanted: readonly string[] = MEMBERS[entry.type];
  let whole = true;
  for (const member of wanted) {
    if (entry[member as keyof SelectorEntry] !== undefined) continue;
    faults.add(`${path}.${member}`, `is missing; a selector of type \`${entry.type}\` needs it`);
    whole = false;
  }
  for (const member of Object.keys(entry)) {
    if (member === 'type' || wanted.includes(member)) continue;
    faults.add(`${path}.${member}`, `does not belong to a selector of type \`${entry.type}\``);
    whole = false;
  }
  for (const member of ['provider', 'bucket'] as const) {
    if (entry[member]?.includes('*') !== true) continue;
    faults.add(`${path}.${member}`, `\`${entry[member]}\`: there are no wildcards; use a wider selector, such as \`type: all\` or \`type: provider\``);
    whole = false;
  }
  for (const member of ['prefix', 'key'] as const) {
    if (entry[member]?.includes('*') !== true) continue;
    faults.add(`${path}.${member}`, `there are no wildcards, and \`*\` here would be compared as a star; \`type: prefix\` covers what starts with its text`);
    whole = false;
  }
  if (!whole) return undefined;
  if (entry.provider !== undefined && !providers.includes(entry.provider)) warn(`${path}.provider: no provider is named \`${entry.provider}\`${didYouMean(entry.provider, providers)}`);
  const { type, ...members } = entry;
  return { type, ...members } as Selector;
}

function compileBinding(entry: BindingEntry, path: string, known: { policies: readonly string[]; roles: readonly string[] }, { issuer, faults, warn }: PolicyContext): Binding | undefined {
  if ((entry.groups === undefined) === (entry.subjects === undefined)) faults.add(path, 'needs either `groups` or `subjects`');
  if ((entry.role === undefined) === (entry.policies === undefined)) faults.add(path, 'needs either `role` or `policies`');
  if (entry.role !== undefined) checkName(entry.role, known.roles, 'role', `${path}.role`, faults);
  entry.policies?.forEach((name, i) => checkName(name, known.policies, 'policy', `${path}.policies.${i}`, faults));
  entry.groups?.forEach((group, i) => {
    if (group.startsWith('/')) warn(`${path}.groups.${i}: \`${group}\` begins with a slash; group names are compared exactly, and most providers send them without one`);
  });
  const holders: Holders | undefined =
    entry.groups !== undefined
      ? { groups: entry.groups }
      : entry.subjects === undefined
        ? undefined
        : { subjects: entry.subjects.map((subject) => (typeof subject === 'string' ? { issuer, subject } : { issuer: subject.issuer, subject: subject.subject })) };
  const given: Given | undefined = entry.role !== undefined ? { role: entry.role } : entry.policies === undefined ? undefined : { policies: entry.policies };
  return holders === undefined || given === undefined ? undefined : { ...holders, ...given };
}

function checkName(name: string, known: readonly string[], kind: string, path: string, faults: Faults): void {
  if (!known.includes(name)) faults.add(path, `no ${kind} is named \`${name}\`${didYouMean(name, known)}`);
}
