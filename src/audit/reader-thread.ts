/** A thread that answers the questions of `audit-questions.ts` and keeps the index up to date, without blocking the service. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { AuditPage, AuditQuestion } from './audit-query.ts';
import { AuditReader } from './audit-reader.ts';

export type ThreadQuestion = { readonly id: number; readonly question: AuditQuestion };
export type ThreadAnswer = { readonly id: number } & ({ readonly page: AuditPage } | { readonly error: string });

const LOWEST_PRIORITY = 19;
const CATCH_UP_EACH_MS = 5_000;
/** The maximum length of one indexing step. A question waits for one step at most. */
const CATCH_UP_FOR_MS = 200;

const reader = new AuditReader(workerData as string);
try {
  // On Linux this is the priority of the thread alone.
  if (process.platform === 'linux') setPriority(0, LOWEST_PRIORITY);
} catch {
  // The thread keeps its priority.
}

let next: NodeJS.Timeout | undefined;

function keepUp(): void {
  let isComplete = true;
  try {
    isComplete = reader.catchUp(CATCH_UP_FOR_MS);
  } catch {
    // The next question fails with the same error and reports it.
  }
  next = setTimeout(keepUp, isComplete ? CATCH_UP_EACH_MS : 0);
}

parentPort!.on('message', ({ id, question }: ThreadQuestion) => {
  let answer: ThreadAnswer;
  try {
    answer = { id, page: reader.ask(question) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  parentPort!.postMessage(answer);
});
parentPort!.once('close', () => {
  clearTimeout(next);
  reader.close();
});
keepUp();
