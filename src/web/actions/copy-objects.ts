import { otherKey, type ConflictAnswer } from '../uploads/conflict.ts';
import { failureOf } from '../uploads/failure.ts';
import { keysOf, type Selected } from './beneath.ts';
import { copyObject, isListed, listPage, type BucketRef, type ObjectRef } from './object-calls.ts';
import type { Task, TaskHandle } from './task-board.ts';

const COPIES_AT_ONCE = 4;

/** A selected file or folder, and the key or prefix that it becomes. */
export type CopyStep = { readonly from: Selected; readonly to: string };

export type CopyPlan = {
  readonly from: BucketRef;
  readonly to: BucketRef;
  readonly steps: readonly CopyStep[];
  readonly move: boolean;
  /** What to do where the target is taken. */
  readonly ask: (key: string, signal: AbortSignal) => Promise<ConflictAnswer>;
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
      const rest = pairs.values();
      const worker = async () => {
        for (const pair of rest) {
          await copyOne(plan, pair, task);
          task.progress((done += 1), pairs.length);
        }
      };
      await Promise.all(Array.from({ length: COPIES_AT_ONCE }, worker));
    },
  };
}

type Pair = { readonly from: string; readonly to: string; readonly mayBeTaken: boolean };

async function pairsOf(plan: CopyPlan, task: TaskHandle): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const { from, to } of plan.steps) {
    if (from.kind === 'file') {
      pairs.push({ from: from.key, to, mayBeTaken: true });
      continue;
    }
    const mayBeTaken = await holdsAnything(plan.to, to, task);
    const keys = await keysOf(plan.from, [from], task);
    for (const key of keys) pairs.push({ from: key, to: to + key.slice(from.key.length), mayBeTaken });
  }
  return pairs;
}

async function holdsAnything(bucket: BucketRef, prefix: string, task: TaskHandle): Promise<boolean> {
  const page = await task.attempt(() => listPage(bucket, { prefix, limit: 1 }, task.signal));
  return page.objects.length > 0 || page.next_cursor !== null;
}

async function copyOne(plan: CopyPlan, pair: Pair, task: TaskHandle): Promise<void> {
  const from: ObjectRef = { ...plan.from, key: pair.from };
  try {
    const to = await freeTarget(plan, pair, task);
    if (to === undefined) return;
    await task.attempt(async (tries) => {
      try {
        await copyObject(from, to, plan.move, task.signal);
      } catch (thrown) {
        const answerWasLost = tries > 1 && plan.move && failureOf(thrown).code === 'not_found';
        if (!answerWasLost) throw thrown;
      }
    });
    task.result(pair.from);
  } catch (thrown) {
    task.signal.throwIfAborted();
    task.result(pair.from, failureOf(thrown));
  }
}

/** Where to copy to; undefined when it is to be skipped. */
async function freeTarget(plan: CopyPlan, pair: Pair, task: TaskHandle): Promise<ObjectRef | undefined> {
  let to: ObjectRef = { ...plan.to, key: pair.to };
  if (!pair.mayBeTaken) return to;
  for (let n = 2; await isTaken(to, task); n += 1) {
    if (to.key.endsWith('/')) return undefined;
    const answer = await plan.ask(to.key, task.signal);
    if (answer === 'skip') return undefined;
    if (answer === 'replace') return to;
    to = { ...plan.to, key: otherKey(pair.to, n) };
  }
  return to;
}

function isTaken(object: ObjectRef, task: TaskHandle): Promise<boolean> {
  return task.attempt(() => isListed(object, task.signal));
}
