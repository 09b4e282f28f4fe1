import pLimit from 'p-limit';
import { failureOf } from '../../transfer/failure.ts';
import { ApiError } from '../api/api-error.ts';
import { t } from '../words/words.ts';
import { otherKey, type AskAboutConflict } from '../work/conflict.ts';
import type { Task, TaskHandle } from '../work/task-board.ts';
import { keysOf, type Selected } from './beneath.ts';
import { copyObject, deleteKeys, headObject, type BucketRef, type ObjectRef } from './object-calls.ts';

export const COPIES_AT_ONCE = 4;

/** A selected file or folder, and the key or prefix that it becomes. */
export type CopyStep = { readonly from: Selected; readonly to: string };

/** A key that was moved, and what stands at the new one. The mark of a folder that was there already has no `etag`: only its old key was deleted. */
export type Moved = { readonly from: string; readonly to: string; readonly etag: string | undefined; readonly hasReplaced: boolean };

export type CopyPlan = {
  readonly from: BucketRef;
  readonly to: BucketRef;
  readonly steps: readonly CopyStep[];
  readonly move: boolean;
  /** What to do where the target is taken. */
  readonly ask: AskAboutConflict;
  /** Gets each key that was moved. Where the answer was lost and only the outcome is known, it gets nothing. */
  readonly onMoved?: (moved: Moved) => void;
};

/** Copies or moves key by key inside of storage. A key that fails is reported, and the rest goes on; a moved key leaves only once its copy stands. */
export function copyObjects(plan: CopyPlan, title: string): Task {
  return {
    title,
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

type Pair = { readonly from: string; readonly to: string };

async function pairsOf(plan: CopyPlan, task: TaskHandle): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const { from, to } of plan.steps) for (const key of await keysOf(plan.from, [from], task)) pairs.push({ from: key, to: to + key.slice(from.key.length) });
  return pairs;
}

async function copyOne(plan: CopyPlan, pair: Pair, task: TaskHandle): Promise<void> {
  const from: ObjectRef = { ...plan.from, key: pair.from };
  try {
    if (await copyAsking(plan, from, { ...plan.to, key: pair.to }, task)) task.result(pair.from);
  } catch (thrown) {
    task.signal.throwIfAborted();
    task.result(pair.from, failureOf(thrown));
  }
}

/** Copies to the wanted key, or to where the answers lead; false when it is skipped. The service tells whether a key is taken: a listing shows only what the caller may list. */
async function copyAsking(plan: CopyPlan, from: ObjectRef, wanted: ObjectRef, task: TaskHandle): Promise<boolean> {
  let to = wanted;
  let replace = false;
  for (let n = 2; ; ) {
    try {
      const etag = await copyAgain(plan, from, to, replace, task);
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

/** One copy, tried again while trying again can help. Where an answer was lost, what it would have said is found out. @returns the ETag of the copy, where an answer told it. */
async function copyAgain(plan: CopyPlan, from: ObjectRef, to: ObjectRef, replace: boolean, task: TaskHandle): Promise<string | undefined> {
  return task.attempt(async (tries) => {
    const options = { move: plan.move, replace, signal: task.signal };
    try {
      return await copyObject(from, to, options);
    } catch (thrown) {
      const { code } = failureOf(thrown);
      if (tries > 1 && plan.move && code === 'not_found') return undefined;
      if (tries === 1 || code !== 'precondition_failed' || !(await isSameContent(from, to, task.signal))) throw thrown;
      return copyObject(from, to, { ...options, replace: true });
    }
  });
}

async function isSameContent(from: ObjectRef, to: ObjectRef, signal: AbortSignal): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([headObject(from, signal), headObject(to, signal)]);
    return a.etag === b.etag && a.size === b.size;
  } catch {
    return false;
  }
}

/** An object without content whose key ends in `/`: how storage keeps an empty folder. */
async function isFolderMark(object: ObjectRef, task: TaskHandle): Promise<boolean> {
  return object.key.endsWith('/') && (await task.attempt(() => headObject(object, task.signal))).size === 0;
}

/** The folder stands at the target already: its mark here is all that is left of a moved one. */
async function deleteMark(mark: ObjectRef, task: TaskHandle): Promise<void> {
  const { failed } = await task.attempt(() => deleteKeys(mark, [mark.key], task.signal));
  for (const { code } of failed) throw new ApiError(code, t('The folder is copied, and its old name was not deleted.'));
}
