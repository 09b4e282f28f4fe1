import { readFileSync, statSync } from 'node:fs';
import Papa from 'papaparse';
import { unreadable } from '../../config/read/regular-file.ts';
import { ATOMIC_ACTIONS, atomicActions, isActionName, type AtomicAction } from '../../policy/model/action.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { guarded } from '../../format/csv.ts';
import { ACTION_WORDS, type ReviewRow } from './review-row.ts';

/** A reviewer's decision about a line. `narrowTo` are the actions that stay; undefined when nothing stays. */
export type Decision = {
  readonly id: string;
  readonly at: number;
  readonly narrowTo: readonly AtomicAction[] | undefined;
  readonly read: Readonly<Record<string, string>>;
};

const MAX_BYTES = 128 * 1024 * 1024;
const NEEDED = ['id', 'place', 'who', 'may', 'decision'];
/** The columns that must match, because the reviewer based the decision on them. */
const COMPARED = ['place', 'who', 'effect', 'may', 'policy'] as const;

/**
 * Reads the lines of a review that are not to be kept.
 *
 * @throws {CliFailure} usage, naming the first line that cannot be understood.
 */
export function readDecisions(file: string): Decision[] {
  const { data, meta } = Papa.parse<Record<string, string>>(readReview(file), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim(),
  });
  const missing = NEEDED.filter((name) => meta.fields?.includes(name) !== true);
  if (missing.length > 0)
    throw usageFault(
      `${file} has no column ${missing.map((name) => `\`${name}\``).join(', ')}: give it the CSV of \`svc access review\`, filled in`,
    );
  const decisions = new Map<string, Decision>();
  const seen = new Map<string, string>();
  for (const [i, read] of data.entries()) {
    const at = i + 2;
    const fault = (message: string) => usageFault(`${file}, line ${at} of the table (${read['id'] ?? ''}): ${message}`);
    const id = (read['id'] ?? '').trim();
    const narrowTo = decided(read, fault);
    const said = narrowTo?.toString() ?? 'remove';
    if ((seen.get(id) ?? said) !== said) throw fault('the id is used twice with different decisions');
    seen.set(id, said);
    if (narrowTo !== 'keep') decisions.set(id, { id, at, narrowTo, read });
  }
  return [...decisions.values()];
}

type Fault = (message: string) => Error;

function decided(read: Readonly<Record<string, string>>, fault: Fault): readonly AtomicAction[] | undefined | 'keep' {
  const decision = (read['decision'] ?? '').trim().toLowerCase();
  const narrowTo = (read['narrow_to'] ?? '').trim();
  if (decision === 'narrow') return actionsIn(narrowTo, fault);
  if (decision !== '' && decision !== 'keep' && decision !== 'remove')
    throw fault(`\`${decision}\` is no decision: write \`keep\`, \`remove\` or \`narrow\``);
  if (narrowTo !== '') throw fault(`\`narrow_to\` goes with the decision \`narrow\`, and this one is \`${decision}\``);
  return decision === 'remove' ? undefined : 'keep';
}

const BY_WORD = new Map<string, AtomicAction>(ATOMIC_ACTIONS.map((action) => [ACTION_WORDS[action], action]));

function actionsIn(text: string, fault: Fault): readonly AtomicAction[] {
  const words = text
    .toLowerCase()
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) throw fault('`narrow` needs in `narrow_to` what is to stay, such as `list, read`');
  const actions = new Set(
    words.flatMap((word): readonly AtomicAction[] => {
      const action = BY_WORD.get(word);
      if (action !== undefined) return [action];
      if (isActionName(word)) return atomicActions(word);
      throw fault(`\`${word}\` is nothing that somebody may do: ${[...BY_WORD.keys()].join(', ')}`);
    }),
  );
  return ATOMIC_ACTIONS.filter((action) => actions.has(action));
}

/** The reason why a decision is not about the current line with its id; undefined when it is. */
export function otherThanRead({ read }: Decision, row: ReviewRow): string | undefined {
  const changed = COMPARED.find(
    (name) => read[name] !== undefined && read[name] !== row[name] && read[name] !== guarded(row[name]),
  );
  return changed === undefined
    ? undefined
    : `\`${changed}\` was changed in the table: the configuration says \`${row[changed]}\``;
}

function readReview(file: string): string {
  try {
    if (statSync(file).size <= MAX_BYTES) return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw usageFault(`${file} is not UTF-8: save it as “CSV UTF-8”`);
    throw usageFault(`${file} ${unreadable(error)}`);
  }
  throw usageFault(`${file} is larger than 128 MiB`);
}
