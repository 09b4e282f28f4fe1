import { atomicActions } from '../policy/model/action.ts';
import { whoMay, whoQuestions, type Entitlement, type WhoMay, type WhoQuestion } from '../policy/answers/who.ts';
import { invalidRequest, UNKNOWN_CURSOR } from '../access/invalid.ts';
import type { Key } from '../key/key.ts';
import { mayOfKey } from '../policy/answers/keys.ts';
import { yieldToEventLoop } from '../storage/yield-to-event-loop.ts';
import type { OperationOutput } from '../wire/operations.ts';
import { askedPlace } from './asked-place.ts';
import { timeOf } from './keys.ts';
import { operation } from './operation.ts';
import type { Services } from './services.ts';

type Answer = OperationOutput<'policy/who'>['answers'][number];
type Named = Answer['keys'][number];

const LIMIT = 200;
/** How many rules are reported for each group or person, and how many ways for each rule. There may be thousands. */
const MAX_RULES = 50;
const MAX_WAYS = 20;
const MAX_KEYS = 200;

/** Lists who may do something at a place, and with which keys. The answer comes from policy: it includes people who have never signed in, and storage is not asked. */
export const whoMayDo = operation({
  name: 'policy/who',
  access: { kind: 'admin' },
  run: async ({ input, services }) => {
    const { policies, targets } = services;
    const questions = atomicActions(input.action).flatMap((action) =>
      whoQuestions(action, askedPlace(action, input, targets)),
    );
    const from = input.cursor === undefined ? 0 : startOf(input.cursor, policies.revision);
    const answers = whoMay(policies.definition, questions, { from, limit: input.limit ?? LIMIT });
    const next = answers[0]?.next;
    const keys = input.cursor === undefined ? await keysThatMay(services, questions) : [];
    return {
      answers: answers.map((answer, i) => ({
        ...answerOf(answer, questions[i]!),
        ...(keys[i] ?? { keys: [], keysLeftOut: 0 }),
      })),
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

/** The unexpired keys of both kinds that may do what is asked. */
async function keysThatMay(
  { apiKeys, s3Keys, policies }: Services,
  questions: readonly WhoQuestion[],
): Promise<Pick<Answer, 'keys' | 'keysLeftOut'>[]> {
  const named: Named[][] = questions.map(() => []);
  const leftOut = questions.map(() => 0);
  for (const registry of [apiKeys, s3Keys]) {
    for await (const key of registry?.unexpired() ?? []) {
      // Scopes can be long, so other requests run between two keys.
      await yieldToEventLoop();
      const may = mayOfKey(key, policies);
      for (const [i, { action, place }] of questions.entries()) {
        if (!may(action, place)) continue;
        if (named[i]!.length < MAX_KEYS) named[i]!.push(wireKey(key));
        else leftOut[i]! += 1;
      }
    }
  }
  return named.map((keys, i) => ({ keys, keysLeftOut: leftOut[i]! }));
}

function wireKey({ id, provider, description, expiresAt, creator: { issuer, subject, name } }: Key): Named {
  const kind = provider === undefined ? 'apiKey' : 's3Key';
  return { kind, id, description, expiresAt: timeOf(expiresAt), creator: { issuer, subject, name } };
}

function answerOf(
  { everybody, holders }: WhoMay,
  { action, place, takenFor }: WhoQuestion,
): Omit<Answer, 'keys' | 'keysLeftOut'> {
  return {
    action,
    unnamed: !('kind' in place),
    ...(takenFor && { takenFor }),
    everybody,
    holders: holders.map(wireHolder),
  };
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
