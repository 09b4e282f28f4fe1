import { Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { currentLocale } from '../../format/locale.ts';
import { atomicActions, type ActionName, type AtomicAction } from '../../wire/action-names.ts';
import { Name } from '../names/name.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { ACTION_WORDS, WORDS_EVERYWHERE } from './action-words.ts';
import type { Holders } from './holders.ts';
import type { Rule, Selector } from './records.ts';
import { SelectorText } from './selector-text.tsx';

type ListType = 'conjunction' | 'disjunction';
type Allowed = { readonly actions: readonly ActionName[]; readonly resources: readonly Selector[] };

/** What a rule means: "People in `staff` may list and read everything in `main`." */
export function RuleSentence({ rule: { effect, ...rule }, who }: { rule: Rule; who: ReactNode }) {
  const { around, within, places, buckets } = wordsOf(rule, effect === 'allow' ? 'conjunction' : 'disjunction');
  if (within === undefined) {
    const values = { who, actions: around, places: buckets };
    return effect === 'allow'
      ? rich('{who} may {actions}: {places}.', values)
      : rich('{who} must not {actions}: {places}.', values);
  }
  const values = { who, actions: within, places };
  return (
    <>
      {effect === 'allow'
        ? rich('{who} may {actions} {places}.', values)
        : rich('{who} must not {actions} {places}.', values)}
      {around !== undefined && ' '}
      {around !== undefined &&
        (effect === 'allow'
          ? rich('They may also {actions}.', { actions: around })
          : rich('They must not {actions} either.', { actions: around }))}
    </>
  );
}

/** What a rule of a key allows: "list and read everything in `main`". */
export function AllowedWords({ rule }: { rule: Allowed }) {
  const { around, within, places, buckets } = wordsOf(rule);
  return (
    <>
      {within !== undefined && rich('{actions} {places}', { actions: within, places })}
      {within !== undefined && around !== undefined && '; '}
      {around !== undefined && rich('{actions}: {places}', { actions: around, places: buckets })}
    </>
  );
}

/** The words for what a rule says on objects, on what is around them, and where. */
function wordsOf({ actions, resources }: Allowed, type: ListType = 'conjunction') {
  const isEverywhere = resources.some(({ type }) => type === 'all');
  const isEachBucket = isEverywhere || resources.every(({ type }) => type === 'provider');
  const wordOf = (action: AtomicAction) =>
    ((action.startsWith('buckets:') ? isEachBucket : isEverywhere) ? WORDS_EVERYWHERE[action] : undefined) ??
    ACTION_WORDS[action];
  const words = (onObjects: boolean) => {
    const found = [...new Set(actions.flatMap(atomicActions))].filter(
      (action) => action.startsWith('objects:') === onObjects,
    );
    return found.length === 0 ? undefined : listed(found.map(wordOf), type);
  };
  return {
    around: words(false),
    within: words(true),
    places: listed(resources.map((selector) => <SelectorText selector={selector} />)),
    buckets: listed(resources.map(bucketText)),
  };
}

/** The maximum number of groups and of people that a sentence names. */
const MAX_NAMED = 5;

/** The subject of a sentence about a policy. */
export function WhoHolds({ groups, subjects }: Holders) {
  if (groups.length + subjects.length === 0) return t('Whoever gets this policy');
  const people = subjects.length > 0 && listed(named(subjects), 'disjunction');
  if (groups.length === 0) return people;
  const inGroups = rich('People in {groups}', { groups: listed(named(groups), 'disjunction') });
  return people === false ? inGroups : listed([inGroups, people]);
}

function named(names: readonly string[]): readonly ReactNode[] {
  const some = names.slice(0, MAX_NAMED).map((name) => (
    <Code>
      <Name>{name}</Name>
    </Code>
  ));
  return names.length > MAX_NAMED ? [...some, t('{count} more', { count: names.length - MAX_NAMED })] : some;
}

function bucketText(selector: Selector): ReactNode {
  if (selector.type === 'all') return t('everywhere');
  return <Code>{selector.type === 'provider' ? selector.provider : `${selector.provider}/${selector.bucket}`}</Code>;
}

/** A list in the language of the page: `a, b and c`. */
function listed(nodes: readonly ReactNode[], type: ListType = 'conjunction'): ReactNode {
  const parts = new Intl.ListFormat(currentLocale(), { type }).formatToParts(nodes.map((_, i) => String(i)));
  return parts.map(({ type: part, value }, i) => (
    <Fragment key={i}>{part === 'element' ? nodes[Number(value)] : value}</Fragment>
  ));
}
