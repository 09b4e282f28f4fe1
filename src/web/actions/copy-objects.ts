import pLimit from 'p-limit';
import { failureOf } from '../../transfer/failure.ts';
import { plainEtag } from '../../transfer/plain-etag.ts';
import { ApiError } from '../api/api-error.ts';
import { t } from '../words/words.ts';
import { otherKey, type AskAboutConflict } from '../work/conflict.ts';
import type { Task, TaskHandle, TaskTitles } from '../work/task-board.ts';
import { pagesBeneath, type Selected } from './beneath.ts';
import {
  copyObject,
  deleteKeys,
  headObject,
  listPage,
  type BucketRef,
  type ObjectHead,
  type ObjectRef,
} from '../api/object-calls.ts';

export const COPIES_AT_ONCE = 4;

/** A selected file or folder, and its new key or prefix. */
export type CopyStep = { readonly from: Selected; readonly to: string };

/**
 * A moved object: its old key, its new key and the ETag of the copy.
 *
 * `etag` is undefined for a folder marker that already existed at the target; only the old marker was deleted.
 */
export type Moved = {
  readonly from: string;
  readonly to: string;
  readonly etag: string | undefined;
  readonly hasReplaced: boolean;
};

export type CopyPlan = {
  readonly from: BucketRef;
  readonly to: BucketRef;
  readonly steps: readonly CopyStep[];
  readonly move: boolean;
  /** Asks the user what to do if the target key exists. */
  readonly ask: AskAboutConflict;
  /** Called for each moved object, except if the answer was lost and the ETag is therefore unknown. */
  readonly onMoved?: (moved: Moved) => void;
};

/** Copies or moves objects one by one within storage. A failure is reported and does not stop the others. A moved object is deleted only after its copy exists. */
export function copyObjects(plan: CopyPlan, titles: TaskTitles): Task {
  return {
    ...titles,
    unit: 'objects',
    work: async (task) => {
      const pairs = await pairsOf(plan, task);
      let done = 0;
      task.progress(done, pairs.length);
      await pLimit(COPIES_AT_ONCE).map(pairs, async (pair) => {
        await copyOne(plan, pair, task);
        task.progress((done += 1), pairs.length);
      });
    },
  };
}

/** `known` is the object as it was listed. `isFree`: nothing was seen at the target before the task began to write. */
type Pair = {
  readonly from: string;
  readonly known: Omit<Selected, 'kind'>;
  readonly to: string;
  readonly isFree: boolean;
};

async function pairsOf(plan: CopyPlan, task: TaskHandle): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const { from, to } of plan.steps) {
    const add = (known: Pair['known'], isFree: boolean) =>
      pairs.push({ from: known.key, known, to: to + known.key.slice(from.key.length), isFree });
    if (from.kind === 'file') {
      add(from, false);
      continue;
    }
    const { objects } = await task.attempt(() => listPage(plan.to, { prefix: to, limit: 1 }, task.signal));
    for await (const page of pagesBeneath(plan.from, from.key, task))
      for (const object of page) add(object, objects.length === 0);
  }
  return pairs;
}

async function copyOne(plan: CopyPlan, pair: Pair, task: TaskHandle): Promise<void> {
  const from: ObjectRef = { ...plan.from, key: pair.from };
  try {
    if (await copyAsking(plan, pair, from, task)) task.result(pair.from);
    else task.skip(1);
  } catch (thrown) {
    task.signal.throwIfAborted();
    task.result(pair.from, failureOf(thrown));
  }
}

/**
 * Copies an object to a key, or to another key if the user chooses to keep both. The service decides whether a key is taken, because a listing shows only what
 * the user may list.
 *
 * @returns false if the user skips the object.
 */
async function copyAsking(plan: CopyPlan, pair: Pair, from: ObjectRef, task: TaskHandle): Promise<boolean> {
  const wanted: ObjectRef = { ...plan.to, key: pair.to };
  let to = wanted;
  let replace = false;
  for (let n = 2; ;) {
    try {
      const etag = await copyAgain(
        { known: pair.known, isFree: pair.isFree && to === wanted, from, to, move: plan.move, replace },
        task,
      );
      if (etag !== undefined) plan.onMoved?.({ from: from.key, to: to.key, etag, hasReplaced: replace });
      return true;
    } catch (thrown) {
      task.signal.throwIfAborted();
      if (failureOf(thrown).code !== 'precondition_failed' || replace) throw thrown;
    }
    if (await isFolderMark(from, task)) {
      if (plan.move) {
        await deleteMark(from, task);
        plan.onMoved?.({ from: from.key, to: to.key, etag: undefined, hasReplaced: false });
      }
      return true;
    }
    const answer = await plan.ask({ target: to, source: from }, task.signal);
    if (answer === 'skip') return false;
    if (answer === 'replace') replace = true;
    else to = { ...wanted, key: otherKey(wanted.key, n++) };
  }
}

type Copying = Pick<Pair, 'known' | 'isFree'> & {
  readonly from: ObjectRef;
  readonly to: ObjectRef;
  readonly move: boolean;
  readonly replace: boolean;
};

/**
 * Copies one object and retries while that can help. If the answer to a try was lost, it finds out whether that try succeeded. A proxy or a browser repeats a request
 * silently, so that even the first try may find what it has done itself.
 *
 * @returns the ETag of the copy, or undefined if the answer was lost.
 */
export async function copyAgain(
  { known, isFree, from, to, move, replace }: Copying,
  task: TaskHandle,
): Promise<string | undefined> {
  return task.attempt(async (tries) => {
    const options = { move, replace, signal: task.signal };
    try {
      return await copyObject(from, to, options);
    } catch (thrown) {
      const { code } = failureOf(thrown);
      if (move && code === 'not_found') {
        const copy = await headOrNothing(to, task.signal);
        if (copy && isOf(known, copy)) return copy.etag;
        // The copy of an object that was sent in parts may have another ETag.
        const mayBeCopy = copy === undefined || (copy !== null && copy.size === known.size);
        if (tries === 1 || !mayBeCopy) throw thrown;
        return undefined;
      }
      const mayBeOurs = tries > 1 || isFree;
      if (!mayBeOurs || code !== 'precondition_failed' || !(await isSameContent(from, to, task.signal))) throw thrown;
      return copyObject(from, to, { ...options, replace: true });
    }
  });
}

/** Whether an object has the content of one that was listed. */
function isOf({ etag, size }: Pair['known'], head: ObjectHead): boolean {
  return etag !== undefined && plainEtag(etag) === plainEtag(head.etag) && size === head.size;
}

/** The object at a key; null when there is none, and undefined when the user may not look. */
async function headOrNothing(object: ObjectRef, signal: AbortSignal): Promise<ObjectHead | null | undefined> {
  return headObject(object, signal).catch((thrown: unknown) => {
    const { code } = failureOf(thrown);
    if (code === 'not_found') return null;
    if (code === 'access_denied') return undefined;
    throw thrown;
  });
}

async function isSameContent(from: ObjectRef, to: ObjectRef, signal: AbortSignal): Promise<boolean> {
  const [a, b] = await Promise.all([headOrNothing(from, signal), headOrNothing(to, signal)]);
  return !!a && !!b && a.etag === b.etag && a.size === b.size;
}

/** Whether the object is a folder marker: an object without content whose key ends in `/`, which represents an empty folder. */
async function isFolderMark(object: ObjectRef, task: TaskHandle): Promise<boolean> {
  return object.key.endsWith('/') && (await task.attempt(() => headObject(object, task.signal))).size === 0;
}

/** Deletes the folder marker at the old key. The target already has one. */
async function deleteMark(mark: ObjectRef, task: TaskHandle): Promise<void> {
  const { failed } = await task.attempt(() => deleteKeys(mark, [mark.key], task.signal));
  for (const { code } of failed)
    throw new ApiError(code, t('The folder was copied, but the old one could not be deleted.'));
}
