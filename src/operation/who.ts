import { atomicActions, type AtomicAction } from '../policy/model/action.ts';
import { whoMay, type Entitlement, type WhoMay } from '../policy/answers/who.ts';
import { invalidRequest, UNKNOWN_CURSOR } from '../access/invalid.ts';
import type { OperationOutput } from '../wire/operations.ts';
import { askedPlace } from './asked-place.ts';
import { operation } from './operation.ts';

type Answer = OperationOutput<'policy/who'>['answers'][number];

const LIMIT = 200;
/** How many rules are reported for each group or person, and how many ways for each rule. There may be thousands. */
const MAX_RULES = 50;
const MAX_WAYS = 20;

/** Lists who may do something at a place. The answer comes from policy: it includes people who have never signed in, and storage is not asked. */
export const whoMayDo = operation({
  name: 'policy/who',
  access: { kind: 'admin' },
  run: ({ input, services: { policies, targets } }) => {
    const questions = atomicActions(input.action).map((action) => ({
      action,
      place: askedPlace(action, input, targets),
    }));
    const from = input.cursor === undefined ? 0 : startOf(input.cursor, policies.revision);
    const answers = whoMay(policies.definition, questions, { from, limit: input.limit ?? LIMIT });
    const next = answers[0]?.next;
    return {
      answers: answers.map((answer, i) => answerOf(answer, questions[i]!.action, !('kind' in questions[i]!.place))),
      nextCursor: next === undefined ? null : `${policies.revision}.${next}`,
    };
  },
});

/**
 * The holder at which the next part starts. A cursor is valid for one revision of the policies.
 *
 * @throws {SvcError} `invalid_request`
 */
function startOf(cursor: string, revision: string): number {
  const [, of, from] = /^([0-9a-f]+)\.(\d{1,9})$/.exec(cursor) ?? [];
  if (of !== revision)
    throw invalidRequest(
      of === undefined
        ? UNKNOWN_CURSOR
        : { path: 'cursor', message: 'the policies have changed since: ask again without a cursor' },
    );
  return Number(from);
}

function answerOf({ everybody, holders }: WhoMay, action: AtomicAction, unnamed: boolean): Answer {
  return { action, unnamed, everybody, holders: holders.map(wireHolder) };
}

function wireHolder({ holder, isLocal, only, outcome, rules }: Entitlement): Answer['holders'][number] {
  const denyFirst =
    rules.length > MAX_RULES
      ? rules.toSorted((a, b) => Number(a.effect === 'allow') - Number(b.effect === 'allow'))
      : rules;
  return {
    ...holder,
    local: isLocal,
    ...(only !== undefined && { only }),
    outcome,
    rules: denyFirst.slice(0, MAX_RULES).map(({ effect, rule, selector, by }) => ({
      effect,
      policy: rule.policy,
      rule: rule.rule,
      resource: selector,
      by: by.slice(0, MAX_WAYS).map(({ from, place, role }) => ({ from, place, ...(role !== undefined && { role }) })),
    })),
    leftOut: Math.max(0, rules.length - MAX_RULES),
  };
}
