import type { AuditHistory } from '../terminal/edge.ts';
import { count } from '../terminal/text.ts';

/** In milliseconds since the epoch; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number };

const DAY_MS = 86_400_000;
/** The minimum number of consecutive days without a line that is reported, so that a weekend is not. */
const QUIET_DAYS = 3;

/** What cannot be judged because the audit lacks it. */
export function gapNotes({ days, reads, lost }: AuditHistory, { from, to }: Span): string[] {
  const notes: string[] = [];
  if (reads !== 'all')
    notes.push(
      `${reads === 'none' ? '`audit.reads` was `none`' : 'parts of the audit do not say whether `audit.reads` was `all`'}: which objects were read is not known, so \`objects:get\` and \`objects:versions\` are not judged`,
    );
  if (lost > 0)
    notes.push(
      `${count(lost, 'line')} about what was read could not be written: \`objects:get\` and \`objects:versions\` are not judged`,
    );
  const quiet = quietDays(days, { from, to });
  if (quiet.longest >= QUIET_DAYS) {
    const [begin, end] = [quiet.begin * DAY_MS, (quiet.begin + quiet.longest - 1) * DAY_MS];
    notes.push(
      `nothing was written on ${quiet.all} of ${quiet.of} days, the longest time from ${dayText(begin)} to ${dayText(end)}: was the service stopped, or does a part of the audit lie elsewhere?`,
    );
  }
  return notes;
}

/** The number of days in the span without a line, and the longest run of them. */
function quietDays(
  days: ReadonlySet<number>,
  { from, to }: Span,
): { readonly of: number; readonly all: number; readonly longest: number; readonly begin: number } {
  const [first, last] = [Math.floor(from / DAY_MS), Math.floor((to - 1) / DAY_MS)];
  let [all, now, longest, begin] = [0, 0, 0, first];
  for (let day = first; day <= last; day++) {
    now = days.has(day) ? 0 : now + 1;
    if (now > 0) all++;
    if (now > longest) [longest, begin] = [now, day - now + 1];
  }
  return { of: last - first + 1, all, longest, begin };
}

/** Collects which policies decided the uses. */
export class Seen {
  readonly revision: string;
  /** Lines of an earlier version that do not say which object they are about. */
  ambiguous = 0;
  #uses = 0;
  #unnamed = 0;
  /** When the examined policies decided first, and when other policies decided last. */
  #since = Infinity;
  #others = -Infinity;

  constructor(revision: string) {
    this.revision = revision;
  }

  take(revision: unknown, time: number, uses: readonly { readonly rule: unknown }[]): void {
    if (revision === this.revision) this.#since = Math.min(this.#since, time);
    else if (revision !== undefined) this.#others = Math.max(this.#others, time);
    this.#uses += uses.length;
    this.#unnamed += uses.filter(({ rule }) => rule === undefined).length;
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.#since === Infinity)
      notes.push('no request was decided by the policies of this file: is it the one that is in force?');
    else if (this.#others > -Infinity)
      notes.push(
        `other policies than those of this file decided until ${dayText(this.#others)}: what was added since had less time to be used`,
      );
    if (this.#unnamed > 0)
      notes.push(
        `of ${this.#unnamed} of ${count(this.#uses, 'use')} the rule is not known (other policies were in force, it came with an API key, or it was about a whole folder or bucket): each counts for all rules that may have allowed it`,
      );
    if (this.ambiguous > 0) {
      const lines = `${count(this.ambiguous, 'line')} of an earlier version ${this.ambiguous === 1 ? 'is' : 'are'} left out`;
      notes.push(
        `${lines}, because they do not say for certain which object they are about: what they used may be called unused`,
      );
    }
    return notes;
  }
}

export function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
