import { refreshListing } from '../api/queries.ts';
import { inSentence } from '../names/visible.ts';
import { tellBack, tellGone } from '../objects/gone.ts';
import { parentOf, placeName, type Place } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import { isComplete, type TaskTitles } from '../work/task-board.ts';
import { conflicts, tasks } from '../work/work.ts';
import type { Selection, Surroundings } from './action.ts';
import { copyObjects, type CopyPlan, type Moved } from './copy-objects.ts';
import { naming } from './naming.ts';
import { offerUndo } from './undo-move.tsx';

/** Copies or moves the rows of a selection into a folder under their current names. It offers to undo a move. */
export async function putIntoFolder(
  { place, entries }: Selection,
  target: Place,
  move: boolean,
  around: Surroundings,
): Promise<void> {
  around.clearSelection();
  const isSameBucket = place.provider === target.provider && place.bucket === target.bucket;
  const steps = entries
    .map((entry) => ({ from: entry, to: target.prefix + entry.key.slice((parentOf(entry.key) ?? '').length) }))
    // Of rows from several folders, some may be there already.
    .filter(({ from, to }) => !isSameBucket || from.key !== to);
  const what = { what: naming(entries), place: inSentence(target.prefix === '' ? target.bucket : target.prefix) };
  const titles = move
    ? { title: t('Moving {what} to {place}', what), doneTitle: t('Moved {what} to {place}', what) }
    : { title: t('Copying {what} to {place}', what), doneTitle: t('Copied {what} to {place}', what) };
  await runPlan({ from: place, to: target, steps, move }, titles, around);
}

/** Copies or moves objects, shows the progress, and offers to undo a move. */
export async function runPlan(
  plan: Omit<CopyPlan, 'ask' | 'onMoved'>,
  titles: TaskTitles,
  { queryClient }: Surroundings,
): Promise<void> {
  const moved: Moved[] = [];
  const ended = await tasks.run(
    copyObjects({ ...plan, ask: conflicts.batch(), onMoved: (one) => moved.push(one) }, titles),
  );
  await Promise.all([refreshListing(queryClient, plan.from), refreshListing(queryClient, plan.to)]);
  tellBack(
    plan.to,
    [...plan.steps, ...moved].map(({ to }) => to),
  );
  if (!plan.move) return;
  const emptied = isComplete(ended) ? plan.steps.map(({ from }) => from.key) : [];
  tellGone(plan.from, [...emptied, ...moved.map(({ from }) => from)]);
  const what = isComplete(ended) ? titles.doneTitle : t('{done}, but not everything', { done: titles.doneTitle });
  const isOffered = await offerUndo(what, moved, plan, queryClient);
  // The offer says all that the tray would say about one object, unless it got another name.
  const isAsSaid = isComplete(ended) && ended.results.length === 1 && plan.steps[0]?.to === moved[0]?.to;
  if (isOffered && isAsSaid) tasks.dismiss(ended.id);
}

/** The reason why the rows of a selection cannot go into a folder, apart from permissions, or undefined if they can. */
export function faultOfTarget({ place, entries }: Selection, target: Place): string | undefined {
  if (place.provider !== target.provider || place.bucket !== target.bucket) return undefined;
  if (entries.every(({ key }) => parentOf(key) === target.prefix))
    return plural(
      entries.length,
      'It is already in this folder. Choose another one.',
      'They are already in this folder. Choose another one.',
    );
  const within = entries.find(({ kind, key }) => kind === 'folder' && target.prefix.startsWith(key));
  return within && t('{name} cannot be put into itself. Choose another folder.', { name: inSentence(within.name) });
}

/** The quoted name of a folder for use in a sentence. */
export function namingFolder(place: Place): string {
  return `“${inSentence(placeName(place))}”`;
}
