import type { Targets } from '../access/target.ts';
import { ATOMIC_ACTIONS, atomicActions, maskOf, type AtomicAction } from '../policy/model/action.ts';
import { allowedBeneath } from '../policy/listing/beneath.ts';
import type { Unnamed } from '../policy/answers/explain.ts';
import { explainRequest } from '../policy/answers/explain-request.ts';
import { mergedPlaces } from '../policy/index/decide-request.ts';
import type { Grants } from '../policy/index/grants.ts';
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
  const { decision, matches } = explainRequest(grants, action, place);
  return {
    action,
    allowed: decision.allowed,
    reason: decision.reason,
    ...(!('kind' in place) && { unnamed: true, somewhere: isAllowedSomewhere(grants, action, place) }),
    matches: matches.map(({ effect, rule, selector }) => ({
      effect,
      policy: rule.policy,
      rule: rule.rule,
      resource: selector,
    })),
  };
}

function isAllowedSomewhere(grants: Grants, action: AtomicAction, place: Unnamed): boolean {
  return [place, ...mergedPlaces(action, place)].every((each) => (allowedBeneath(grants, each) & maskOf(action)) !== 0);
}
