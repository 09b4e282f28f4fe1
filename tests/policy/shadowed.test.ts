import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../../src/policy/model/action.ts';
import { isBucketName, isProviderName, keyFault } from '../../src/policy/model/name.ts';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import type { Resource, Selector } from '../../src/policy/model/resource.ts';
import type { Effect, Policy, Rule, RuleRef } from '../../src/policy/model/rule.ts';
import { shadowedRules } from '../../src/policy/answers/shadowed.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, definition, heldNaively, people } from './definitions.ts';
import { coversNaively, decideNaively } from './oracle.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const DEFINITIONS = Number(process.env['SVC_TEST_PAIRS'] ?? 15);

type Request = { readonly action: AtomicAction; readonly resource: Resource };

function requestsFor(policies: readonly Policy[]): Request[] {
  return interestingResources(policies)
    .map((resource) => ('bucket' in resource ? { ...resource, bucket: bucketName(resource.bucket) } : resource))
    .filter(
      (resource) =>
        isProviderName(resource.provider) &&
        (!('bucket' in resource) || isBucketName(resource.bucket)) &&
        (!('key' in resource) || keyFault(resource.key, 'keep') === undefined),
    )
    .flatMap((resource) =>
      ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === resource.kind).map((action) => ({
        action,
        resource,
      })),
    );
}

const without = (policies: readonly Policy[], gone: readonly RuleRef[]): Policy[] =>
  policies.map((policy) => ({
    ...policy,
    rules: policy.rules.filter((_, rule) => !gone.some((one) => one.policy === policy.name && one.rule === rule)),
  }));

const says = (rule: Rule, { action, resource }: Request) =>
  rule.actions.includes(action) && rule.resources.some((selector) => coversNaively(selector, resource));

/** Whether the rule decides a request alone, for somebody who holds these policies. */
function isNeeded(policies: readonly Policy[], rule: Rule, requests: readonly Request[]): boolean {
  return requests.some((request) => {
    if (!says(rule, request)) return false;
    const saying = policies.flatMap(({ rules }) => rules).filter((one) => says(one, request));
    const denying = saying.filter(({ effect }) => effect === 'deny');
    return rule.effect === 'deny' ? denying.length === 1 : denying.length === 0 && saying.length === 1;
  });
}

describe('shadowedRules', () => {
  it(
    'names rules that can all be removed, and of the others each decides a request alone',
    () => {
      let found = 0;
      const property = fc.property(definition, (given) => {
        const enabled = { ...given, enabled: true };
        const gone = shadowedRules(enabled).rules.map(({ rule }) => rule);
        found += gone.length;
        const requests = requestsFor(given.policies);
        for (const person of people) {
          const { policies } = heldNaively(enabled, person);
          const left = without(policies, gone);
          for (const { action, resource } of requests) {
            if (
              (decideNaively(policies, action, resource) === 'allowed') !==
              (decideNaively(left, action, resource) === 'allowed')
            )
              throw new Error(
                `${JSON.stringify(person)} ${action} on ${JSON.stringify(resource)} without ${JSON.stringify(gone)}`,
              );
          }
        }
        const alone = people
          .filter(({ length }) => length === 1)
          .map((person) => without(heldNaively(enabled, person).policies, gone));
        for (const policy of without(given.policies, gone)) {
          for (const rule of policy.rules) {
            const holding = alone.filter((policies) => policies.some(({ name }) => name === policy.name));
            const canMatch = requests.some((request) => says(rule, request));
            if (holding.length > 0 && canMatch && !holding.some((policies) => isNeeded(policies, rule, requests)))
              throw new Error(`${policy.name} keeps ${JSON.stringify(rule)}`);
          }
        }
      });
      // They are rare.
      while (found === 0) fc.assert(property, { numRuns: DEFINITIONS });
    },
    60_000 + DEFINITIONS * 1_000,
  );

  const prefix = (text: string): Selector => ({ type: 'prefix', provider: 'main', bucket: 'photos', prefix: text });
  const rule = (effect: Effect, ...prefixes: string[]): Rule => ({
    effect,
    actions: ['objects:get'],
    resources: prefixes.map(prefix),
  });
  const held = (...rules: Rule[]): PolicySetDefinition => ({
    policies: [{ name: 'p', source: 'config', rules }],
    roles: [],
    bindings: [{ groups: ['g'], policies: ['p'] }],
    localUsers: [],
    enabled: true,
  });
  const found = (...rules: Rule[]) =>
    shadowedRules(held(...rules)).rules.map(({ rule: { rule: number }, by }) => [
      number,
      by.map((one) => `${one.effect} ${one.rule}`),
    ]);

  it('names the rule that decides in its place', () => {
    expect(found(rule('allow', ''), rule('allow', 'a/'))).toEqual([[1, ['allow 0']]]);
    expect(found(rule('allow', 'a/b/'), rule('deny', 'a/'))).toEqual([[0, ['deny 1']]]);
    expect(found(rule('deny', 'a/b/'), rule('deny', 'a/'))).toEqual([[0, ['deny 1']]]);
  });

  it('takes a rule for covered by two others together, and one of two that are alike', () => {
    expect(found(rule('allow', 'a/', 'b/'), rule('allow', 'a/', 'c/'), rule('allow', 'b/', 'c/'))).toHaveLength(1);
    expect(found(rule('allow', 'a/'), rule('allow', 'a/', 'b/'))).toEqual([[0, ['allow 1']]]);
    expect(found(rule('allow', 'a/'), rule('allow', 'a/'))).toEqual([[1, ['allow 0']]]);
  });

  it('leaves a place to the rule that also names folders of people, because that rule stays', () => {
    const own: Selector = { ...prefix('home/'), each: 'subject' } as never;
    const withFolders = (effect: Effect, text: string): Rule => ({
      ...rule(effect, text),
      resources: [prefix(text), own],
    });
    expect(found(rule('allow', 'a/'), withFolders('allow', 'a/'))).toEqual([[0, ['allow 1']]]);
    expect(found(withFolders('allow', 'a/'), rule('allow', 'a/'))).toEqual([[1, ['allow 0']]]);
    expect(found(rule('deny', 'a/'), withFolders('deny', 'a/'))).toEqual([[0, ['deny 1']]]);
    expect(found(withFolders('allow', 'a/'), withFolders('allow', 'a/'), rule('deny', 'a/'))).toEqual([]);
  });

  it('keeps a deny under which nothing is allowed: who holds another policy too may be allowed', () => {
    expect(found(rule('deny', 'a/'))).toEqual([]);
  });

  it('holds only the rules of each policy against each other where people hold too many together', () => {
    const many = Array.from({ length: 101 }, (_, i) => rule('allow', `${i}/`));
    const names = ['p', 'q'];
    const given: PolicySetDefinition = {
      policies: [
        ...names.map((name): Policy => ({ name, source: 'config', rules: [...many, rule('allow', '1/')] })),
        ...Array.from({ length: 1000 }, (_, i): Policy => ({ name: `n${i}`, source: 'config', rules: [] })),
      ],
      roles: [],
      bindings: Array.from({ length: 1000 }, (_, i) => ({ groups: [`g${i}`], policies: [...names, `n${i}`] })),
      localUsers: [],
      enabled: true,
    };
    const { complete, rules } = shadowedRules(given);
    expect({ complete, rules: rules.map((one) => one.rule) }).toEqual({
      complete: false,
      rules: names.map((policy) => ({ policy, rule: 101 })),
    });
  });
});
