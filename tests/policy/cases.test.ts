import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { atomicActions, isActionName, type ActionName, type AtomicAction } from '../../src/policy/model/action.ts';
import type { Binding } from '../../src/policy/model/binding.ts';
import { decide, type Decision } from '../../src/policy/index/decide.ts';
import { permissionList } from '../../src/policy/listing/permission-list.ts';
import { PolicySet } from '../../src/policy/index/policy-set.ts';
import type { Resource, Scope, Selector } from '../../src/policy/model/resource.ts';
import type { Effect, Policy } from '../../src/policy/model/rule.ts';

/** The cases are data: `tests/cases/*.yaml` holds policy documents, bindings, requests, and why each is answered as it is. */
type CaseFile = {
  about: string;
  policies: { version: 1; name: string; rules: { effect: Effect; actions: ActionName[]; resources: Selector[] }[] }[];
  roles?: Record<string, { policies: string[] }>;
  bindings: Binding[];
  requests: (Who & { ask: AtomicAction; on: CaseResource; expect: Decision['reason']; because: string })[];
  permissions?: (Who & { on: Scope; expect: ActionName[]; because: string })[];
};
type Who = { as: string[]; subject?: string };
type CaseResource = { provider: string; bucket?: string; key?: string };

const folder = new URL('../cases/', import.meta.url);

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .sort()) {
  const given = load(readFileSync(new URL(file, folder), 'utf8')) as CaseFile;
  const set = new PolicySet({
    policies: given.policies.map(toPolicy),
    roles: Object.entries(given.roles ?? {}).map(([name, { policies }]) => ({ name, policies })),
    bindings: given.bindings,
    localUsers: [],
    enabled: true,
  });
  const grantsOf = ({ as, subject }: Who) =>
    set.grantsFor({ issuer: 'https://idp.example', subject: subject ?? 'someone', groups: as }).grants;

  describe(`${file}: ${given.about}`, () => {
    it.each(given.requests)(
      '$ask as $as on $on is $expect, because $because',
      ({ ask, on, expect: reason, ...who }) => {
        expect(decide(grantsOf(who), ask, toResource(on)).reason).toBe(reason);
      },
    );

    for (const { on, expect: names, because, ...who } of given.permissions ?? []) {
      it(`permissions as ${JSON.stringify(who.as)} on ${JSON.stringify(on)} are ${JSON.stringify(names)}, because ${because}`, () => {
        expect(permissionList(grantsOf(who), on)).toEqual(names);
      });
    }
  });
}

function toPolicy({ name, rules }: CaseFile['policies'][number]): Policy {
  return { name, source: 'config', rules: rules.map((rule) => ({ ...rule, actions: rule.actions.flatMap(expand) })) };
}

function expand(name: string): readonly AtomicAction[] {
  if (!isActionName(name)) throw new Error(`no action is named \`${name}\``);
  return atomicActions(name);
}

function toResource({ provider, bucket, key }: CaseResource): Resource {
  if (bucket === undefined) return { kind: 'provider', provider };
  return key === undefined ? { kind: 'bucket', provider, bucket } : { kind: 'object', provider, bucket, key };
}
