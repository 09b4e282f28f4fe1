import { Ability } from '@casl/ability';
import cedar from '@cedar-policy/cedar-wasm/nodejs';
import { newEnforcer, newModelFromString } from 'casbin';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import type { ObjectResource, Selector } from '../../src/policy/model/resource.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import { covers } from './covers.ts';
import type { Request } from './workload.ts';

export type Ask = (request: Request) => boolean;

/** A way to decide. `load` is given one caller's rules and does whatever can be done before the first request. */
export type Engine = {
  readonly name: string;
  readonly isLibrary: boolean;
  readonly load: (policy: Policy) => Ask | Promise<Ask>;
};

const svc: Engine = {
  name: 'svc',
  isLibrary: false,
  load(policy) {
    const grants = compileGrants([policy]);
    return ({ action, resource }) => decide(grants, action, resource).allowed;
  },
};

const linearScan: Engine = {
  name: 'linear scan',
  isLibrary: false,
  load:
    ({ rules }) =>
    (request) => {
      let allowed = false;
      for (const rule of rules) {
        if (
          !rule.actions.includes(request.action) ||
          !rule.resources.some((selector) => covers(selector, request.resource))
        )
          continue;
        if (rule.effect === 'deny') return false;
        allowed = true;
      }
      return allowed;
    },
};

type KeyTest = (key: string) => boolean;

/**
 * CASL looks rules up by subject type and runs the conditions of those. So the bucket is the subject type, conditions are plain
 * functions of the key, rules on a provider are looked up by the provider instead of being tried on every bucket, and denies come last,
 * which CASL tries first.
 */
const casl: Engine = {
  name: 'CASL, by bucket',
  isLibrary: true,
  load({ rules }) {
    const deniesLast = rules.toSorted((a, b) => Number(a.effect === 'deny') - Number(b.effect === 'deny'));
    const ability = new Ability<[string, string | ObjectResource], KeyTest>(
      deniesLast.flatMap((rule) =>
        rule.resources.map((selector) => ({
          action: [...rule.actions],
          subject: caslSubject(selector),
          inverted: rule.effect === 'deny',
          ...caslConditions(selector),
        })),
      ),
      {
        conditionsMatcher: (test) => (resource) => test((resource as unknown as ObjectResource).key),
        detectSubjectType: (resource) => `${resource.provider}/${resource.bucket}`,
      },
    );
    return ({ action, resource }) => {
      const onBucket = ability.relevantRuleFor(action, resource);
      if (onBucket?.inverted === true) return false;
      const onProvider = ability.relevantRuleFor(action, resource.provider);
      return onProvider === null ? onBucket !== null : !onProvider.inverted;
    };
  },
};

function caslSubject(selector: Selector): string {
  if (selector.type === 'all') return 'all';
  return selector.type === 'provider' ? selector.provider : `${selector.provider}/${selector.bucket}`;
}

function caslConditions(selector: Selector): { conditions?: KeyTest } {
  if (selector.type === 'prefix') return { conditions: (key) => key.startsWith(selector.prefix) };
  return selector.type === 'object' ? { conditions: (key) => key === selector.key } : {};
}

const CASBIN_MODEL = `
[request_definition]
r = action, resource
[policy_definition]
p = number, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = matches(p.number, r.action, r.resource)
`;

const casbin: Engine = {
  name: 'casbin',
  isLibrary: true,
  async load({ rules }) {
    const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL));
    await enforcer.addFunction('matches', (number: string, action: Request['action'], resource: ObjectResource) => {
      const rule = rules[Number(number)]!;
      return rule.actions.includes(action) && rule.resources.some((selector) => covers(selector, resource));
    });
    await enforcer.addPolicies(rules.map(({ effect }, number) => [String(number), effect]));
    return ({ action, resource }) => enforcer.enforceSync(action, resource);
  },
};

let cedarSets = 0;

const cedarWasm: Engine = {
  name: 'Cedar, pre-parsed',
  isLibrary: true,
  load({ rules }) {
    const id = `bench-${cedarSets++}`;
    const parsed = cedar.preparsePolicySet(id, { staticPolicies: rules.map(cedarPolicy).join('\n') });
    if (parsed.type !== 'success') throw new Error(`cedar refused the policies: ${JSON.stringify(parsed.errors[0])}`);
    return ({ action, resource }) => {
      const provider = { type: 'Provider', id: resource.provider };
      const bucket = { type: 'Bucket', id: `${resource.provider}/${resource.bucket}` };
      const object = { type: 'Object', id: resource.key };
      const answer = cedar.statefulIsAuthorized({
        principal: { type: 'User', id: 'ada' },
        action: { type: 'Action', id: action },
        resource: object,
        context: {},
        preparsedPolicySetId: id,
        entities: [
          { uid: object, attrs: { key: resource.key }, parents: [bucket] },
          { uid: bucket, attrs: {}, parents: [provider] },
        ],
      });
      if (answer.type !== 'success') throw new Error(`cedar failed: ${JSON.stringify(answer.errors[0])}`);
      return answer.response.decision === 'allow';
    };
  },
};

function cedarPolicy({ effect, actions, resources: [selector] }: Rule): string {
  const list = actions.map((action) => `Action::${JSON.stringify(action)}`).join(', ');
  return `${effect === 'allow' ? 'permit' : 'forbid'}(principal, action in [${list}], ${cedarScope(selector!)};`;
}

function cedarScope(selector: Selector): string {
  if (selector.type === 'all') return 'resource)';
  if (selector.type === 'provider') return `resource in Provider::${JSON.stringify(selector.provider)})`;
  const inBucket = `resource in Bucket::${JSON.stringify(`${selector.provider}/${selector.bucket}`)})`;
  if (selector.type === 'bucket') return inBucket;
  const test =
    selector.type === 'object' ? `== ${JSON.stringify(selector.key)}` : `like ${JSON.stringify(`${selector.prefix}*`)}`;
  return `${inBucket} when { resource.key ${test} }`;
}

export const ENGINES: readonly Engine[] = [svc, linearScan, casl, cedarWasm, casbin];
