import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { explainFailure } from '../api/explain-failure.ts';
import { refreshListing } from '../api/queries.ts';
import { tellBack } from '../objects/gone.ts';
import { t } from '../words/words.ts';
import { doneIn } from '../work/task-board.ts';
import { tasks } from '../work/work.ts';
import type { CopyPlan, Moved } from './copy-objects.ts';
import { mayMoveBack, moveBack } from './move-back.ts';
import { OFFERED_MS, showUndo } from './show-undo.tsx';

/**
 * Offers to undo a move with a button, and with Ctrl and Z while the button is shown, if the user may move the objects back.
 *
 * @param what - the message about the move, such as `Moved “a.txt” to “docs”`.
 * @returns whether it was offered.
 */
export async function offerUndo(
  what: string,
  moved: readonly Moved[],
  plan: Pick<CopyPlan, 'from' | 'to'>,
  client: QueryClient,
): Promise<boolean> {
  // A replaced object cannot be restored.
  if (moved.length === 0 || moved.some(({ hasReplaced }) => hasReplaced)) return false;
  if (!(await mayMoveBack(moved, plan).catch(() => false))) return false;
  showUndo(what, () => void takeBack(what, moved, plan, client));
  return true;
}

async function takeBack(
  what: string,
  moved: readonly Moved[],
  plan: Pick<CopyPlan, 'from' | 'to'>,
  client: QueryClient,
): Promise<void> {
  const { failures, results, failure } = await tasks.run(
    moveBack(moved, plan, { title: t('Undoing: {what}', { what }), doneTitle: t('Undone: {what}', { what }) }),
  );
  tellBack(plan.from, doneIn({ results }));
  await Promise.all([refreshListing(client, plan.from), refreshListing(client, plan.to)]);
  const first = failure ?? results.find((result) => result.failure)?.failure;
  if (first === undefined) return;
  const count =
    failures === moved.length || failure
      ? t('It could not be undone')
      : t('{failures} of {all} could not be moved back', { failures, all: moved.length });
  notifications.show({ color: 'red', title: count, message: explainFailure(first), autoClose: OFFERED_MS });
}
