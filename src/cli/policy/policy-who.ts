import { resourceKindOf, type AtomicAction } from '../../policy/model/action.ts';
import type { WrittenAt } from '../../config/compile/policy-lines.ts';
import type { Unnamed } from '../../policy/answers/explain.ts';
import type { Assignment } from '../../policy/index/principal.ts';
import type { Resource } from '../../policy/model/resource.ts';
import { mayOfKey } from '../../policy/answers/keys.ts';
import {
  whoMay,
  whoQuestions,
  type Entitlement,
  type HeldRule,
  type Subset,
  type WhoQuestion,
} from '../../policy/answers/who.ts';
import { resourceFor } from '../argument/asked-resource.ts';
import type { LoadedPolicies } from './configured-policies.ts';
import { lineText, ruleText, selectorText } from './policy-text.ts';
import { namedKeyText, type NamedKey } from './named-keys.ts';
import { parseRemote, remoteText } from '../argument/remote-path.ts';

type Lined = { readonly line: number | undefined; readonly file: string | undefined };
type LinedRule = Omit<HeldRule, 'by'> & Lined & { readonly by: readonly (Assignment & Lined)[] };
/** The answer with lines of the configuration. `unnamed` means that it is about an object of the place that no rule names more closely. */
export type WhoAnswer = {
  readonly action: AtomicAction;
  readonly unnamed: boolean;
  readonly takenFor?: WhoQuestion['takenFor'];
  readonly everybody: boolean;
  /** The keys that may; undefined when they were not asked for. */
  readonly keys: readonly NamedKey[] | undefined;
  readonly holders: readonly (Omit<Entitlement, 'rules'> & { readonly rules: readonly LinedRule[] })[];
};

/**
 * The answers for each name under which the service asks policy about the path.
 *
 * @throws {CliFailure} usage: the path names nothing that the action is asked on.
 */
export function whoAnswers(
  { policies, definition, lines }: LoadedPolicies,
  action: AtomicAction,
  path: string,
  keys?: readonly NamedKey[],
): WhoAnswer[] {
  const questions = whoQuestions(action, placeFor(action, path));
  const place = (at: WrittenAt | undefined): Lined => ({ line: at?.line, file: at?.file });
  const lined = (rule: HeldRule): LinedRule => ({
    ...rule,
    ...place(lines.ofRule(rule.rule)),
    by: rule.by.map((assignment) => ({ ...assignment, ...place(lines.ofAssignment(assignment)) })),
  });
  return whoMay(definition, questions).map(({ everybody, holders }, i) => {
    const { place: asked, ...question } = questions[i]!;
    return {
      ...question,
      unnamed: !('kind' in asked),
      everybody,
      keys: keys?.filter((key) => mayOfKey(key, policies)(action, asked)),
      holders: holders.map((one) => ({ ...one, rules: one.rules.map(lined) })),
    };
  });
}

/** A bucket, or a folder with its trailing slash, stands for the objects in it. */
function placeFor(action: AtomicAction, path: string): Resource | Unnamed {
  if (resourceKindOf(action) !== 'object') return resourceFor(action, path);
  const { provider, bucket, key } = parseRemote(path);
  return bucket !== undefined && (key === '' || key.endsWith('/'))
    ? { provider, bucket, prefix: key }
    : resourceFor(action, path);
}

/** The maximum number of narrower places that an answer names. */
const MAX_PLACES = 10;

/** The places inside a bucket or folder that rules about the action name. The answer about the bucket or folder does not cover them. */
function narrowerPlaces({ definition: { policies } }: LoadedPolicies, action: AtomicAction, path: string): string[] {
  const { provider, bucket, key } = parseRemote(path);
  const selectors = policies.flatMap(({ rules }) =>
    rules.filter(({ actions }) => actions.includes(action)).flatMap(({ resources }) => resources),
  );
  const inside = selectors.filter((selector) => {
    if (
      (selector.type !== 'prefix' && selector.type !== 'object') ||
      selector.provider !== provider ||
      selector.bucket !== bucket
    )
      return false;
    const name = selector.type === 'object' ? selector.key : selector.prefix;
    return name.startsWith(key) && (name !== key || (selector.type === 'prefix' && selector.each !== undefined));
  });
  return [...new Set(inside.map(selectorText))].sort();
}

function narrowerText(places: readonly string[]): string {
  const more = places.length - MAX_PLACES;
  return `  narrower rules apply to ${places.slice(0, MAX_PLACES).join(', ')}${more > 0 ? ` and ${more} more` : ''}: ask about these places too`;
}

export function whoLines(
  loaded: LoadedPolicies,
  { action, unnamed, takenFor, everybody, holders, keys = [] }: WhoAnswer,
  asked: string,
): string[] {
  const path =
    takenFor === undefined
      ? asked
      : remoteText({ ...parseRemote(asked), key: 'key' in takenFor ? takenFor.key : takenFor.prefix });
  const narrower = unnamed && !everybody ? narrowerPlaces(loaded, action, path) : [];
  const of = (outcome: Entitlement['outcome']) =>
    holders
      .filter((one) => one.outcome === outcome)
      .flatMap((one) => [`    ${holderText(one)}`, ...one.rules.flatMap(ruleLines)]);
  const others = holders.length === 0 ? 'everybody signed in' : 'everybody signed in who is none of these';
  return [
    `${takenFor === undefined ? '' : 'and '}${action} on ${unnamed ? `objects in ${path} that no rule names more closely` : path}${takenFor === undefined ? '' : ', for which storage may take it'}`,
    ...titled('  allowed, unless another rule that applies to them denies it:', of('allowed')),
    ...titled('  denied, whatever other rules apply to them:', of('denied')),
    everybody ? `  ${others} may: policy is off` : `  ${others} may not: no rule allows it`,
    ...titled(
      '  keys with which it is allowed:',
      keys.map((key) => `    ${namedKeyText(key)}`),
    ),
    ...(narrower.length === 0 ? [] : [narrowerText(narrower)]),
  ];
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function holderText({ holder, isLocal, only }: Pick<Entitlement, 'holder' | 'isLocal' | 'only'>): string {
  if ('group' in holder) return `group ${holder.group}${onlyText(only)}`;
  return `${holder.subject}${holder.issuer === '' ? '' : ` of ${holder.issuer}`}${isLocal ? ' (a local user: groups do not count)' : ''}${onlyText(only)}`;
}

function onlyText(only: Subset | undefined): string {
  if (only === undefined) return '';
  if ('unsafe' in only)
    return `, if ${only.unsafe === 'subject' ? 'their subject' : 'one of their groups'} cannot be the name of a folder`;
  return 'subject' in only ? `, if their subject is ${only.subject}` : `, if they have the group ${only.group} too`;
}

function ruleLines({ effect, rule, selector, by, ...at }: LinedRule): string[] {
  const ways = by.map(
    ({ from, place, role, ...wayAt }) =>
      `        by ${from} ${place + 1}${lineText(wayAt)}${role === undefined ? '' : `, role ${role}`}`,
  );
  return [`      ${effect} by ${ruleText(rule, at)}, on ${selectorText(selector)}`, ...ways];
}
