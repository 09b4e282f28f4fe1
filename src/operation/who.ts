import { atomicActions, type AtomicAction } from '../policy/action.ts';
import { whoMay, type Entitled } from '../policy/who.ts';
import type { OperationInput, OperationOutput } from '../wire/operations.ts';
import { placeOf } from './asked-place.ts';
import { operation } from './operation.ts';
import type { Services } from './services.ts';

type Answer = OperationOutput<'policy/who'>['answers'][number];

/** Says who may do something at a place. Policy answers: nobody has to have signed in, and storage is not asked. */
export const whoMayDo = operation({
  name: 'policy/who',
  access: { kind: 'admin' },
  run: ({ input, services }) => ({ answers: atomicActions(input.action).map((action) => answerOf(action, input, services)) }),
});

function answerOf(action: AtomicAction, question: OperationInput<'policy/who'>, { policies, targets }: Services): Answer {
  const place = placeOf(action, question, targets);
  const { everybody, holders } = whoMay(policies.definition, action, place);
  return { action, unnamed: !('kind' in place), everybody, holders: holders.map(told) };
}

function told({ holder, isLocal, outcome, rules }: Entitled): Answer['holders'][number] {
  return {
    ...holder,
    local: isLocal,
    outcome,
    rules: rules.map(({ effect, rule, selector, by }) => ({
      effect,
      policy: rule.policy,
      rule: rule.rule,
      resource: selector,
      by: by.map(({ from, place, role }) => ({ from, place, ...(role !== undefined && { role }) })),
    })),
  };
}
