import type { Change, Gain } from '../../policy/answers/diff.ts';
import type { Principal } from '../../policy/index/principal.ts';
import type { Region } from '../../policy/answers/region.ts';
import { NO_FOLDER, SOMEBODY, SOME_GROUP } from '../../policy/answers/claims-to-tell.ts';
import { TooManyCombinations } from '../../policy/answers/cohorts.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { describeResource } from '../../policy/model/resource.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import { selectorText } from './policy-text.ts';
import { visible } from '../terminal/text.ts';

/** How many excepted places a line names; --json has all of them. */
const SHOWN_EXCEPTIONS = 5;

/** The changes in Markdown, for reviewers. Names from a configuration are escaped. */
export function diffMarkdown(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['Nobody gains or loses anything.'];
  return [...section('Gained', changes, ({ gained }) => gained), ...section('Lost', changes, ({ lost }) => lost)];
}

/**
 * Computes who gains and loses what.
 *
 * @throws {CliFailure} `too_many_combinations`
 */
export async function changesBetween(before: PolicySetDefinition, after: PolicySetDefinition): Promise<Change[]> {
  const { diffPolicies } = await import('../../policy/answers/diff.ts');
  try {
    return diffPolicies(before, after);
  } catch (error) {
    if (error instanceof TooManyCombinations) throw new CliFailure(EXIT.failed, error.message, 'too_many_combinations');
    throw error;
  }
}

export function isGain({ gained }: Change): boolean {
  return isSomething(gained);
}

function isSomething({ admin, regions }: Gain): boolean {
  return admin || regions.length > 0;
}

function section(title: string, changes: readonly Change[], of: (change: Change) => Gain): string[] {
  const reported = changes.filter((change) => isSomething(of(change)));
  if (reported.length === 0) return [];
  return [
    `## ${title}`,
    '',
    ...reported.flatMap((change) => [
      `- ${whoText(change.who)}`,
      ...gainLines(of(change)).map((line) => `  - ${line}`),
    ]),
    '',
  ];
}

function whoText(who: Change['who']): string {
  if (who.length === 0) return 'everybody signed in whom no binding names';
  return who.map((holders) => holders.map(holderText).join(' or ')).join(', together with ');
}

function holderText(holder: Principal): string {
  if (('group' in holder ? holder.group : holder.subject) === NO_FOLDER)
    return `a ${'group' in holder ? 'group' : 'subject'} that cannot be the name of a folder`;
  return 'group' in holder
    ? `group ${code(holder.group)}`
    : `${code(holder.subject)}${holder.issuer === '' ? '' : ` of ${code(holder.issuer)}`}`;
}

function gainLines({ admin, regions }: Gain): string[] {
  return [...(admin ? ['administration, by the role `admin`'] : []), ...regions.map(regionText)];
}

function regionText({ actions, selector, except, example }: Region): string {
  const listed = except.slice(0, SHOWN_EXCEPTIONS).map((one) => code(selectorText(one)));
  const left = except.length - listed.length;
  const without = except.length === 0 ? '' : `, except ${listed.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return `${actions.map(code).join(', ')} on ${code(selectorText(selector))}${without}; for example ${code(`${actions[0]!} ${describeResource(example)}`)}`;
}

/** Formats inline code in Markdown, fenced by more backticks than the longest run in the text. */
function code(text: string): string {
  const plain = visible(text.replaceAll(SOMEBODY, '{subject}').replaceAll(SOME_GROUP, '{group}'));
  const longest = Math.max(0, ...Array.from(plain.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(plain) ? ' ' : '';
  return `${fence}${pad}${plain}${pad}${fence}`;
}
