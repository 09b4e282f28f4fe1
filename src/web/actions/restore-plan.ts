import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { explainFailure } from '../api/explain-failure.ts';
import { refreshListing } from '../api/queries.ts';
import type { RestoreCounts, RestoreEntry } from '../../wire/restore-folder.ts';
import { restoreLines } from '../api/restore-folder.ts';
import { visibleText } from '../names/visible.ts';
import { placeName, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Task } from '../work/task-board.ts';
import { tasks } from '../work/work.ts';
import { OFFERED_MS } from './show-undo.tsx';

export type Plan = {
  readonly counts: RestoreCounts;
  /** The first entries. */
  readonly entries: readonly RestoreEntry[];
  /** When the plan began, as RFC 3339. */
  readonly plannedAt: string | undefined;
};

const NONE = { objects: 0, bytes: 0 };
export const NO_PLAN: Plan = {
  counts: { restore: NONE, delete: NONE, leave: NONE, unchanged: NONE },
  entries: [],
  plannedAt: undefined,
};
const SHOWN_ENTRIES = 200;

/** Plans what brings a folder back to a moment. It yields the plan so far. @param at - RFC 3339. */
export async function* planRestore(place: Place, at: string, signal: AbortSignal): AsyncGenerator<Plan> {
  let plan = NO_PLAN;
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const before = plan.counts;
    const lines = restoreLines(place, { at, dry_run: true }, cursor, signal);
    let step = await lines.next();
    for (; step.done !== true; step = await lines.next()) {
      for (const { planned_at: plannedAt, entry, counts } of step.value) {
        if (plannedAt !== undefined) plan = { ...plan, plannedAt: plan.plannedAt ?? plannedAt };
        if (entry !== undefined && plan.entries.length < SHOWN_ENTRIES)
          plan = { ...plan, entries: [...plan.entries, entry] };
        if (counts !== undefined) plan = { ...plan, counts: sum(before, counts) };
      }
      yield plan;
    }
    cursor = step.value;
  }
}

function sum(a: RestoreCounts, b: RestoreCounts): RestoreCounts {
  const add = (of: keyof RestoreCounts) => ({
    objects: a[of].objects + b[of].objects,
    bytes: a[of].bytes + b[of].bytes,
  });
  return { restore: add('restore'), delete: add('delete'), leave: add('leave'), unchanged: add('unchanged') };
}

/** Why the plan leaves an object as it is. */
const LEFT: ReadonlyMap<string | null, string> = new Map([
  ['access_denied', t('You may not change it.')],
  ['not_kept', t('Its content of that time is not kept.')],
  ['not_versioned', t('The bucket keeps no new versions, so this could not be undone.')],
]);

export function whyText(why: string | null): string {
  return (
    LEFT.get(why) ??
    (why === 'changed' ? t('It was changed after the plan, so it stays as it is.') : t('Storage did not change it.'))
  );
}

/** Carries out a plan, shows the progress, and says what failed. */
export async function runRestore(place: Place, at: string, plan: Plan, client: QueryClient): Promise<void> {
  const { results, failure, failures } = await tasks.run(restoreTask(place, at, plan));
  await refreshListing(client, place);
  const first = failure ?? results.find((result) => result.failure)?.failure;
  if (first === undefined) return;
  const title = failure
    ? t('The folder was not restored completely')
    : t('{failures} of {all} could not be restored', { failures, all: results.length });
  notifications.show({ color: 'red', title, message: explainFailure(first), autoClose: OFFERED_MS });
}

function restoreTask(place: Place, at: string, { counts, plannedAt }: Plan): Task {
  const name = { place: visibleText(placeName(place)) };
  const question = { at, dry_run: false, ...(plannedAt !== undefined && { if_unmodified_since: plannedAt }) };
  return {
    title: t('Restoring {place}', name),
    doneTitle: t('Restored {place}', name),
    unit: 'objects',
    work: async (task) => {
      const total = counts.restore.objects + counts.delete.objects;
      const told = new Set<string>();
      let left = 0;
      let done = 0;
      task.progress(done, total);
      const tell = ({ key, change, why }: RestoreEntry): void => {
        // An answer that was cut off has told it.
        if (told.has(key)) return;
        told.add(key);
        if (change === 'leave' && LEFT.has(why)) {
          left += 1;
          return;
        }
        if (change === 'leave') task.result(key, { code: why ?? 'internal', detail: whyText(why) });
        else task.result(key);
        task.progress((done += 1), Math.max(done, total));
      };
      /** What was done before an answer was cut off is unchanged in the next one, which does not tell it. */
      const oneAnswer = async (cursor: string | undefined): Promise<string | null> => {
        const lines = restoreLines(place, question, cursor, task.signal);
        let step = await lines.next();
        for (; step.done !== true; step = await lines.next()) {
          for (const { entry } of step.value) if (entry !== undefined) tell(entry);
        }
        return step.value;
      };
      let next = await task.attempt(() => oneAnswer(undefined));
      while (next !== null) {
        const cursor = next;
        next = await task.attempt(() => oneAnswer(cursor));
      }
      const skipped = Math.max(0, left - counts.leave.objects);
      task.skip(skipped);
      task.progress(Math.max(done, total - skipped), Math.max(done, total));
    },
  };
}
