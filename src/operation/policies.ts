import type { Targets } from '../access/target.ts';
import { ATOMIC_ACTIONS, atomicActions, maskOf, type AtomicAction } from '../policy/model/action.ts';
import { allowedBeneath } from '../policy/listing/beneath.ts';
import { explain, explainUnnamed, type Explanation } from '../policy/answers/explain.ts';
import type { Grants } from '../policy/index/grants.ts';
import { mergedKeys } from '../policy/model/name.ts';
import type { Resource } from '../policy/model/resource.ts';
import type { OperationInput } from '../wire/operations.ts';
import { askedPlace } from './asked-place.ts';
import { operation } from './operation.ts';

const admin = { kind: 'admin' } as const;

/** Operations that show administrators who may do what. */
export const listRoles = operation({
  name: 'role/list',
  access: admin,
  run: ({ services }) => ({ roles: services.policies.definition.roles }),
});

export const listPolicies = operation({
  name: 'policy/list',
  access: admin,
  run: ({ services }) => ({ policies: services.policies.definition.policies }),
});

export const listBindings = operation({
  name: 'binding/list',
  access: admin,
  run: ({ services }) => ({ bindings: services.policies.definition.bindings }),
});

type Question = OperationInput<'policy/explain'>;

/** Explains whether a person may do something, with the same policy code that decides the person's own requests. */
export const explainDecision = operation({
  name: 'policy/explain',
  access: admin,
  run: ({ input, caller, services }) => {
    const { issuer = caller.identity.issuer, subject = '', groups = [] } = input;
    const { grants, roles, policies } = services.policies.grantsFor({ issuer, subject, groups });
    const answers = (input.action === undefined ? ATOMIC_ACTIONS : atomicActions(input.action)).map((action) =>
      answerOf(grants, action, input, services.targets),
    );
    return {
      allowed: answers.every(({ allowed }) => allowed),
      roles,
      policies: policies.map(({ name }) => name),
      answers,
    };
  },
});

function answerOf(grants: Grants, action: AtomicAction, question: Question, at: Targets) {
  const place = askedPlace(action, question, at);
  const { decision, matches } =
    'kind' in place ? explainAsAsked(grants, action, place) : explainUnnamed(grants, action, place);
  return {
    action,
    allowed: decision.allowed,
    reason: decision.reason,
    ...(!('kind' in place) && { unnamed: true, somewhere: (allowedBeneath(grants, place) & maskOf(action)) !== 0 }),
    matches: matches.map(({ effect, rule, selector }) => ({
      effect,
      policy: rule.policy,
      rule: rule.rule,
      resource: selector,
    })),
  };
}

/** Requests are asked about each key for which some storage takes the key (`src/access/authorize.ts`). The first refusal explains the answer. */
function explainAsAsked(grants: Grants, action: AtomicAction, place: Resource): Explanation {
  const others = place.kind === 'object' ? mergedKeys(place.key).map((key) => ({ ...place, key })) : [];
  const answers = [place, ...others].map((each) => explain(grants, action, each));
  return answers.find(({ decision }) => !decision.allowed) ?? answers[0]!;
}
