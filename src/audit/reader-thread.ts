/** Answers the questions that `audit-questions.ts` passes on, and keeps the index up to date, without keeping the service waiting. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { AuditPage, AuditQuestion } from './audit-query.ts';
import { AuditReader } from './audit-reader.ts';

export type ThreadQuestion = { readonly id: number; readonly question: AuditQuestion };
export type ThreadAnswer = { readonly id: number } & ({ readonly page: AuditPage } | { readonly error: string });

const LOWEST_PRIORITY = 19;
const CATCH_UP_EACH_MS = 5_000;
/** Questions wait for one such step at most. */
const CATCH_UP_FOR_MS = 200;

const reader = new AuditReader(workerData as string);
try {
  // On Linux this is the priority of the thread alone.
  if (process.platform === 'linux') setPriority(0, LOWEST_PRIORITY);
} catch {
  // It goes on with the priority that it has.
}

let next: NodeJS.Timeout | undefined;

function keepUp(): void {
  let isComplete = true;
  try {
    isComplete = reader.catchUp(CATCH_UP_FOR_MS);
  } catch {
    // Whoever asks is told.
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
