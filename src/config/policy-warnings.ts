import { ADMIN_ROLE } from '../policy/builtin.ts';
import type { PolicySetDefinition } from '../policy/policy-set.ts';
import { shadowedRules, type ShadowedRule } from '../policy/shadowed.ts';
import type { ConfigFault } from './fault.ts';
import type { PolicyLines } from './policy-lines.ts';
import type { Settings } from './settings.ts';

/** What is hardly meant so in policies that are valid: rules that decide nothing, what nobody is given, and prefixes that reach beyond a folder. For the operator, at leisure. */
export function policyWarnings({ policy, auth }: Settings, lines: PolicyLines): ConfigFault[] {
  if (!policy.enabled || !auth.enabled) return [];
  const found = [...shadowed(policy, lines), ...openPrefixes(policy, lines), ...unreached(policy, auth, lines)];
  return found.map((one) => ({ ...one, line: lines.lineOf(one.path) })).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function shadowed(definition: PolicySetDefinition, lines: PolicyLines): ConfigFault[] {
  const { rules, complete } = shadowedRules(definition);
  const builtIn = new Set(definition.policies.flatMap(({ name, source }) => (source === 'built-in' ? [name] : [])));
  const written = rules.filter(({ rule }) => !builtIn.has(rule.policy));
  const some = complete ? [] : [{ path: '', message: 'people hold so many rules together that only those of one policy were held against each other' }];
  return [...some, ...written.map((one) => ({ path: lines.pathOfRule(one.rule) ?? '', message: shadowText(one, lines) }))];
}

function shadowText({ rule, effect, by }: ShadowedRule, lines: PolicyLines): string {
  const [first, ...more] = by;
  const name = `policy \`${rule.policy}\`, rule ${rule.rule + 1}: `;
  if (first === undefined) return `${name}decides nothing`;
  const line = lines.ofRule(first);
  const who = `\`${first.policy}\` rule ${first.rule + 1}${line === undefined ? '' : ` (line ${line})`}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  if (effect === 'deny') return `${name}all that it denies is denied by ${who} already`;
  const denies = by.filter((one) => one.effect === 'deny').length;
  const how = denies === by.length ? 'denied' : denies === 0 ? 'allowed' : 'denied or allowed';
  return `${name}all that it allows is ${how} by ${who}${how === 'denied' ? '' : ' already'}`;
}

function openPrefixes({ policies }: PolicySetDefinition, lines: PolicyLines): ConfigFault[] {
  return policies.filter(({ source }) => source === 'config').flatMap(({ name, rules }) =>
    rules.flatMap(({ resources }, rule) =>
      resources.flatMap((selector, i) => {
        if (selector.type !== 'prefix' || selector.prefix === '' || selector.prefix.endsWith('/')) return [];
        return [{ path: `${lines.pathOfRule({ policy: name, rule })}.resources.${i}`, message: `the prefix \`${selector.prefix}\` covers \`${selector.prefix}-more/…\` too, and not the folder alone; end it with a slash if the folder is meant` }];
      }),
    ),
  );
}

function unreached({ policies, roles, bindings, localUsers }: PolicySetDefinition, { oidc }: Settings['auth'], lines: PolicyLines): ConfigFault[] {
  const givenRoles = new Set([...bindings.flatMap((binding) => ('role' in binding ? [binding.role] : [])), ...localUsers.flatMap((user) => user.roles)]);
  const givenPolicies = new Set([...roles.flatMap((role) => role.policies), ...bindings.flatMap((binding) => ('policies' in binding ? binding.policies : []))]);
  const empty = new Set(roles.filter(({ name, policies: held }) => name !== ADMIN_ROLE && held.length === 0).map(({ name }) => name));
  const isLocal = new Set(localUsers.map(({ subject }) => subject));
  return [
    ...policies.filter(({ name, source }) => source !== 'built-in' && !givenPolicies.has(name)).map(({ name }) => ({ path: lines.pathOfPolicy(name) ?? '', message: `no role and no binding gives the policy \`${name}\`` })),
    ...roles.filter(({ name }) => !givenRoles.has(name)).map(({ name }) => ({ path: `roles.${name}`, message: `no binding and no local user has the role \`${name}\`` })),
    ...bindings.flatMap((binding, place) => {
      const path = lines.pathOfBinding(place);
      const isEmpty = 'role' in binding ? empty.has(binding.role) : binding.policies.length === 0;
      if (isEmpty) return [{ path, message: 'the binding gives nothing: there is no policy in it' }];
      if ('groups' in binding) return oidc === undefined ? [{ path, message: 'nobody has a group here: groups come from `auth.oidc`, and those of local users do not count' }] : [];
      return binding.subjects.flatMap(({ issuer, subject }, i) => {
        if (oidc === undefined) return isLocal.has(subject) ? [] : [{ path: `${path}.subjects.${i}`, message: `no local user has the subject \`${subject}\`, and nobody else can sign in` }];
        return issuer === oidc.issuer ? [] : [{ path: `${path}.subjects.${i}`, message: `nobody signs in from \`${issuer}\`: \`auth.oidc.issuer\` is \`${oidc.issuer}\`` }];
      });
    }),
  ];
}
