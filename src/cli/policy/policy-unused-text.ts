import { isUseRecorded, type NarrowRule } from '../../policy/answers/narrowing.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { selectorText, lineText, ruleText, rulesText } from './policy-text.ts';
import { diffMarkdown } from './policy-diff.ts';
import type { JudgedRule, Unused } from './policy-unused.ts';
import { dayText } from './unused-notes.ts';
import { count } from '../terminal/text.ts';

/** How many names of a binding are shown. */
const SHOWN_NAMES = 3;

/** Every allow rule with its use and the proposal for it, then who would lose what. */
export function unusedLines(unused: Unused): string[] {
  const { span, rules, patch, changes } = unused;
  const proposed = rules.filter(({ narrowing }) => narrowing !== undefined);
  return [
    `used from ${dayText(span.from)} to ${dayText(span.to)}:`,
    ...rules.flatMap((one) => ruleLines(one, unused)),
    '',
    `${count(rules.length, 'allow rule')}, ${proposed.length} of them wider than what was used`,
    ...(patch === '' ? [] : ['', 'What the patch changes (print it with --patch):', '', ...changeLines(changes)]),
  ];
}

function changeLines(changes: Unused['changes']): string[] {
  if (changes === undefined) return ['Too many people have folders of their own (`each`) to say who loses what.'];
  return changes.length === 0
    ? ['Nobody gains or loses anything: other rules give them the same.']
    : diffMarkdown(changes);
}

function ruleLines(one: JudgedRule, { loaded, readsKnown }: Unused): string[] {
  const { rule, written, by } = one;
  const [text] = rulesText([written]);
  return [
    '',
    `${ruleText(rule, loaded.lines.ofRule(rule))}: ${text}`,
    ...(by.length === 0
      ? ['  given to nobody']
      : by.map(
          (assignment) =>
            `  given by ${assignment.from} ${assignment.place + 1}${lineText(loaded.lines.ofAssignment(assignment))}${assignment.role === undefined ? '' : `, role ${assignment.role}`}: ${membersText(assignment, loaded.definition)}`,
        )),
    ...useLines(one, readsKnown),
    ...proposalLines(one),
  ];
}

function membersText({ from, place }: JudgedRule['by'][number], { bindings, localUsers }: PolicySetDefinition): string {
  if (from === 'local user') return localUsers[place]!.subject;
  const binding = bindings[place]!;
  const names =
    'groups' in binding
      ? binding.groups.map((group) => `group ${group}`)
      : binding.subjects.map(({ subject }) => subject);
  return [
    ...names.slice(0, SHOWN_NAMES),
    ...(names.length > SHOWN_NAMES ? [`${names.length - SHOWN_NAMES} more`] : []),
  ].join(', ');
}

function useLines(
  { written, count: uses, first, last, people, morePeople, places, isIdle }: JudgedRule,
  readsKnown: boolean,
): string[] {
  if (isIdle && readsKnown) return ['  never used: nobody to whom it is given did anything'];
  const judged = written.actions.filter((action) => isUseRecorded(action, readsKnown));
  const unused = judged.filter((action) => !places.has(action));
  if (judged.length === 0) return ['  not judged: no line of the audit names the rule that it was used by'];
  const used =
    last === undefined
      ? '  never used'
      : `  used ${uses === 0 ? 'by what began and did not end' : count(uses, 'time')} by ${morePeople ? 'more than ' : ''}${people === 1 ? '1 person' : `${people} people`}, first ${dayText(first!)}, last ${dayText(last)}`;
  return [used, ...(unused.length > 0 && last !== undefined ? [`  never used: ${unused.join(', ')}`] : [])];
}

function proposalLines({ narrowing, source }: JudgedRule): string[] {
  if (narrowing === undefined) return [];
  const what =
    source === 'config'
      ? 'proposed'
      : source === 'iam'
        ? 'enough, in the imported document'
        : 'enough, in a policy of your own';
  return narrowing.becomes.length === 0
    ? [source === 'config' ? '  proposed: remove it' : `  ${what}: nothing`]
    : narrowing.becomes.map((one) => `  ${what}: ${narrowText(one)}`);
}

function narrowText({ actions, resources }: NarrowRule): string {
  return `allow ${actions.join(', ')} on ${resources.map(({ selector }) => selectorText(selector)).join(', ')}`;
}

/** The result for scripts. Rules, bindings and local users are counted from 0. */
export function unusedJson({ loaded: { lines }, span, readsKnown, notes, rules, patch, changes }: Unused): object {
  return {
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    readsKnown,
    notes,
    rules: rules.map(
      ({ rule, source, written, by, count: uses, first, last, people, morePeople, places, isIdle, narrowing }) => ({
        ...rule,
        file: lines.ofRule(rule)?.file,
        line: lines.ofRule(rule)?.line,
        source,
        actions: written.actions,
        resources: written.resources,
        by,
        count: uses,
        first: momentText(first),
        last: momentText(last),
        people,
        morePeople,
        isIdle,
        unused: written.actions.filter((action) => isUseRecorded(action, readsKnown) && !places.has(action)),
        notJudged: written.actions.filter((action) => !isUseRecorded(action, readsKnown)),
        proposed:
          narrowing === undefined
            ? null
            : narrowing.becomes.map(({ actions, resources }) => ({
                effect: 'allow',
                actions,
                resources: resources.map(({ selector }) => selector),
              })),
      }),
    ),
    patch,
    changes: changes ?? null,
  };
}

function momentText(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
