import type { Binding, Given, BindingMembers, Role } from '../../policy/model/binding.ts';
import { BUILT_IN_POLICIES } from '../../policy/model/builtin.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import type { WrittenPolicy } from '../../policy/model/rule.ts';
import { unfindableObjects, type Unfindable } from '../../policy/answers/unfindable.ts';
import { compileDocument, type PolicyContext } from './compile-document.ts';
import type { Faults } from '../read/fault.ts';
import { KnownNames } from '../read/nearest.ts';
import type { BindingEntry, Config } from '../schema/schema.ts';
import { checkReach, type TeamFile } from '../read/team-files.ts';

/**
 * Whether policy or role names are unknown because their definitions could not be read. That is a fault already, so references to unknown names are not
 * reported too.
 */
type Unread = { readonly policies: boolean; readonly roles: boolean };
type Known = {
  readonly policies: KnownNames;
  readonly roles: KnownNames;
  readonly defaults: boolean;
  readonly unread: Unread;
};

const UNREAD_POLICIES = /^(?:|policies_dir|(?:policy\.)?policies(?:\.\d+(?:\.name)?)?)$/;

/** Compiles the roles, policies and bindings of both families, and the policies of teams, to one definition. */
export function compilePolicy(config: Config, teams: readonly TeamFile[], context: PolicyContext): PolicySetDefinition {
  const { faults, issuer } = context;
  const unread: Unread = {
    policies: [faults, ...teams.map((team) => team.faults)].some(({ list }) =>
      list.some(({ path }) => UNREAD_POLICIES.test(path)),
    ),
    roles: faults.list.some(({ path }) => path === 'roles'),
  };
  const policies = compilePolicies(config, teams, context);
  const known: Known = {
    policies: new KnownNames(policies.map(({ name }) => name)),
    roles: new KnownNames(Object.keys(config.roles)),
    defaults: config.policy.defaults,
    unread,
  };
  const roles: Role[] = Object.entries(config.roles).map(([name, role]) => {
    role.policies.forEach((policy, i) => checkPolicy(policy, known, `roles.${name}.policies.${i}`, faults));
    return { name, policies: role.policies };
  });
  const bindings = [
    ...config.auth.bindings.map((entry, i) => compileBinding(entry, `auth.bindings.${i}`, known, context)),
    ...config.bindings.map((entry, i) => compileBinding(entry, `bindings.${i}`, known, context)),
  ].filter((binding) => binding !== undefined);
  const localUsers = config.auth.local_users.map(({ subject, roles: held }, i) => {
    held.forEach((role, j) => checkRole(role, known, `auth.local_users.${i}.roles.${j}`, faults));
    return { issuer, subject, roles: held };
  });
  const definition = { policies, roles, bindings, localUsers, enabled: config.policy.enabled, issuer };
  // With a fault there are no warnings.
  if (definition.enabled && !faults.any && !teams.some((team) => team.faults.any))
    for (const one of unfindableObjects(definition, context.providers.list))
      context.warn('bindings', unfindableText(one));
  return definition;
}

function unfindableText({ policies, missing, place }: Unfindable): string {
  const names = policies.map((name) => `\`${name}\``).join(', ');
  return `people with only ${names} may use objects in \`${place}\` but cannot find them: no rule allows \`${missing}\` there`;
}

function compilePolicies(config: Config, teams: readonly TeamFile[], context: PolicyContext): WrittenPolicy[] {
  const builtIn = config.policy.defaults ? BUILT_IN_POLICIES : [];
  const taken = new Map<string, string>(builtIn.map(({ name }) => [name, 'a built-in policy']));
  const documents = [
    ...config.policy.policies.map((document, i) => ({ document, path: `policy.policies.${i}`, team: undefined })),
    ...config.policies.map((document, i) => ({ document, path: `policies.${i}`, team: undefined })),
    ...teams.flatMap((team) => team.documents.map((document, i) => ({ document, path: `policies.${i}`, team }))),
  ];
  return [
    ...builtIn,
    ...documents.map(({ document, path, team }) => {
      const { faults, warn } = team ?? context;
      const first = taken.get(document.name);
      if (first !== undefined) faults.add(`${path}.name`, `\`${document.name}\` is the name of ${first} already`);
      else
        taken.set(
          document.name,
          team === undefined && teams.length === 0 ? `\`${path}\`` : `\`${path}\` in ${team?.file ?? context.file}`,
        );
      const policy = compileDocument(document, path, { ...context, faults, warn });
      if (team !== undefined) checkReach(policy, path, team);
      return policy;
    }),
  ];
}

function compileBinding(
  entry: BindingEntry,
  path: string,
  known: Known,
  { issuer, faults, warn }: PolicyContext,
): Binding | undefined {
  if ((entry.groups === undefined) === (entry.subjects === undefined))
    faults.add(path, 'needs either `groups` or `subjects`');
  if ((entry.role === undefined) === (entry.policies === undefined))
    faults.add(path, 'needs either `role` or `policies`');
  if (entry.role !== undefined) checkRole(entry.role, known, `${path}.role`, faults);
  entry.policies?.forEach((name, i) => checkPolicy(name, known, `${path}.policies.${i}`, faults));
  entry.groups?.forEach((group, i) => {
    if (group.includes('*')) faults.add(`${path}.groups.${i}`, `\`${group}\`: there are no wildcards; name each group`);
    else if (group.startsWith('/'))
      warn(
        `${path}.groups.${i}`,
        `\`${group}\` begins with a slash; group names are compared exactly, and Keycloak sends them so only while its mapper has *Full group path* on`,
      );
  });
  entry.subjects?.forEach((subject, i) => {
    const name = typeof subject === 'string' ? subject : subject.subject;
    if (name.includes('*'))
      faults.add(`${path}.subjects.${i}`, `\`${name}\`: there are no wildcards; name each subject`);
  });
  const holders = membersOf(entry, issuer);
  const given = givenBy(entry);
  return holders === undefined || given === undefined ? undefined : { ...holders, ...given };
}

/** A plain text is a subject of the configured issuer. */
function membersOf({ groups, subjects }: BindingEntry, issuer: string): BindingMembers | undefined {
  if (groups !== undefined) return { groups };
  return subjects === undefined
    ? undefined
    : { subjects: subjects.map((subject) => (typeof subject === 'string' ? { issuer, subject } : subject)) };
}

function givenBy({ role, policies }: BindingEntry): Given | undefined {
  if (role !== undefined) return { role };
  return policies === undefined ? undefined : { policies };
}

function checkRole(name: string, { roles, policies, unread }: Known, path: string, faults: Faults): void {
  if (roles.has(name) || unread.roles) return;
  const hint = policies.has(name)
    ? '; a policy has this name: give it in `policies`, or put it into a role'
    : roles.didYouMean(name);
  faults.add(path, `no role is named \`${name}\`${hint}`);
}

function checkPolicy(name: string, { policies, defaults, unread }: Known, path: string, faults: Faults): void {
  if (policies.has(name)) return;
  const builtIn = !defaults && BUILT_IN_POLICIES.some((policy) => policy.name === name);
  if (unread.policies && !builtIn) return;
  const hint = builtIn ? '; it is a built-in policy: set `policy.defaults: true`' : policies.didYouMean(name);
  faults.add(path, `no policy is named \`${name}\`${hint}`, ...(builtIn ? ['policy.defaults'] : []));
}
