import { ADMIN_ROLE } from '../../policy/model/builtin.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { shadowedRules, type ShadowedRule } from '../../policy/answers/shadowed.ts';
import type { WrittenSelector } from '../../policy/model/resource.ts';
import type { ConfigFault } from '../read/fault.ts';
import type { PolicyLines, WrittenAt } from './policy-lines.ts';
import type { Settings } from '../read/settings.ts';

/**
 * Warnings about valid policies that are probably a mistake: rules that decide nothing, policies that nobody is given, and keys that probably mean other
 * ones. Finding them may take long.
 */
export function policyWarnings({ policy, auth }: Settings, lines: PolicyLines): ConfigFault[] {
  if (!policy.enabled || !auth.enabled) return [];
  const found = [...shadowed(policy, lines), ...oddKeys(policy, lines), ...unreached(policy, auth, lines)];
  const main = lines.at('').file;
  const order = (file: string) => (file === main ? '' : file);
  return found.sort((a, b) =>
    order(a.file) < order(b.file) ? -1 : order(a.file) > order(b.file) ? 1 : (a.line ?? 0) - (b.line ?? 0),
  );
}

type Found = WrittenAt & { readonly message: string };

function shadowed(definition: PolicySetDefinition, lines: PolicyLines): Found[] {
  const { rules, complete } = shadowedRules(definition);
  const builtIn = new Set(definition.policies.flatMap(({ name, source }) => (source === 'built-in' ? [name] : [])));
  const written = rules.filter(({ rule }) => !builtIn.has(rule.policy));
  const some = complete
    ? []
    : [
        {
          ...lines.at(''),
          message: 'there are too many rules to compare all of them: only rules of the same policy were compared',
        },
      ];
  return [
    ...some,
    ...written.map((one) => ({ ...(lines.ofRule(one.rule) ?? lines.at('')), message: shadowText(one, lines) })),
  ];
}

function shadowText({ rule, effect, by }: ShadowedRule, lines: PolicyLines): string {
  const [first, ...more] = by;
  const name = `policy \`${rule.policy}\`, rule ${rule.rule + 1}: `;
  if (first === undefined) return `${name}decides nothing`;
  const at = lines.ofRule(first);
  const isElsewhere = at?.file !== lines.ofRule(rule)?.file;
  const who = `\`${first.policy}\` rule ${first.rule + 1}${at?.line === undefined ? '' : isElsewhere ? ` (${at.file}:${at.line})` : ` (line ${at.line})`}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  if (effect === 'deny') return `${name}all that it denies is denied by ${who} already`;
  const denies = by.filter((one) => one.effect === 'deny').length;
  const how = denies === by.length ? 'denied' : denies === 0 ? 'allowed' : 'denied or allowed';
  return `${name}all that it allows is ${how} by ${who}${how === 'denied' ? '' : ' already'}`;
}

function oddKeys({ policies }: PolicySetDefinition, lines: PolicyLines): Found[] {
  return policies.flatMap(({ name, source, rules }) => {
    if (source === 'built-in') return [];
    if (source === 'iam') {
      const messages = new Set(rules.flatMap(({ resources }) => resources.flatMap(keyWarnings)));
      return [...messages].map((message) => ({
        ...lines.ofPolicy(name)!,
        message: `policy \`${name}\`: ${message}`,
      }));
    }
    return rules.flatMap(({ resources }, rule) =>
      resources.flatMap((selector, i) =>
        [...keyWarnings(selector), ...extentWarnings(selector)].map((message) => ({
          ...lines.ofRule({ policy: name, rule }, `.resources.${i}`)!,
          message,
        })),
      ),
    );
  });
}

/** Warnings about a key, which are the same in every form of a policy. */
function keyWarnings(selector: WrittenSelector): string[] {
  if (selector.type !== 'prefix' && selector.type !== 'object') return [];
  const key = selector.type === 'prefix' ? selector.prefix : selector.key;
  return [
    ...(key.startsWith('/')
      ? [
          `\`${key}\` begins with a slash, and a key does so only if a program put one there; leave the slash out unless the keys have it`,
        ]
      : []),
    ...(/[^:]\/\//.test(key)
      ? [
          `\`${key}\` has two slashes in a row, and a key has them only if a program put them there; write one unless the keys have both`,
        ]
      : []),
    ...(['', `${selector.provider}/`, `svc:${selector.provider}/`, 's3://', 'arn:aws:s3:::'].some((start) =>
      key.startsWith(`${start}${selector.bucket}/`),
    )
      ? [
          `\`${key}\` begins with the name of its bucket, which is no part of a key; leave out what comes before the key unless the keys have it`,
        ]
      : []),
  ];
}

/** In IAM, `bucket/start*` says that the prefix is open, and `bucket/folder/` is the mark of the folder. */
function extentWarnings(selector: WrittenSelector): string[] {
  if (selector.type === 'object' && selector.key.endsWith('/'))
    return [
      `the key \`${selector.key}\` ends with a slash, so that it is one object, the mark of a folder; \`type: prefix\` covers what is in the folder`,
    ];
  if (selector.type !== 'prefix' || selector.prefix === '' || selector.prefix.endsWith('/')) return [];
  return [
    `the prefix \`${selector.prefix}\` covers \`${selector.prefix}-more/…\` too, and not the folder alone; end it with a slash if the folder is meant`,
  ];
}

function unreached(
  { policies, roles, bindings, localUsers }: PolicySetDefinition,
  { oidc }: Settings['auth'],
  lines: PolicyLines,
): Found[] {
  const givenRoles = new Set([
    ...bindings.flatMap((binding) => ('role' in binding ? [binding.role] : [])),
    ...localUsers.flatMap((user) => user.roles),
  ]);
  const givenPolicies = new Set([
    ...roles.flatMap((role) => role.policies),
    ...bindings.flatMap((binding) => ('policies' in binding ? binding.policies : [])),
  ]);
  const empty = new Set(
    roles.filter(({ name, policies: held }) => name !== ADMIN_ROLE && held.length === 0).map(({ name }) => name),
  );
  const isLocal = new Set(localUsers.map(({ subject }) => subject));
  return [
    ...policies
      .filter(({ name, source }) => source !== 'built-in' && !givenPolicies.has(name))
      .map(({ name }) => ({
        ...(lines.ofPolicy(name) ?? lines.at('')),
        message: `no role and no binding gives the policy \`${name}\``,
      })),
    ...roles
      .filter(({ name }) => !givenRoles.has(name))
      .map(({ name }) => ({
        ...lines.at(`roles.${name}`),
        message: `no binding and no local user has the role \`${name}\``,
      })),
    ...bindings.flatMap((binding, place) => {
      const at = lines.ofBinding(place);
      const ofSubject = (i: number) => lines.at(`${at.path}.subjects.${i}`);
      const isEmpty = 'role' in binding ? empty.has(binding.role) : binding.policies.length === 0;
      if (isEmpty) return [{ ...at, message: 'the binding gives nothing: there is no policy in it' }];
      if ('groups' in binding)
        return oidc === undefined
          ? [
              {
                ...at,
                message: 'nobody has a group here: groups come from `auth.oidc`, and those of local users do not count',
              },
            ]
          : [];
      return binding.subjects.flatMap(({ issuer, subject }, i) => {
        if (oidc === undefined)
          return isLocal.has(subject)
            ? []
            : [
                {
                  ...ofSubject(i),
                  message: `no local user has the subject \`${subject}\`, and nobody else can sign in`,
                },
              ];
        return issuer === oidc.issuer
          ? []
          : [
              {
                ...ofSubject(i),
                message: `nobody signs in from \`${issuer}\`: \`auth.oidc.issuer\` is \`${oidc.issuer}\``,
              },
            ];
      });
    }),
  ];
}
