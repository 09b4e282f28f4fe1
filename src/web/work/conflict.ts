import { createStore } from 'zustand/vanilla';
import type { FileFingerprint } from '../../transfer/resume-store.ts';
import type { Target } from '../../transfer/transport.ts';

/** The user's choice for a file whose name is taken. */
export type ConflictAnswer = 'replace' | 'keep-both' | 'skip';

/** A taken name: the existing object, and the local file or the other object that was to get its key. */
export type TakenName = { readonly target: Target; readonly source: FileFingerprint | Target };

/** Asks the user about a taken name. It rejects if the signal is aborted before the answer. */
export type AskAboutConflict = (taken: TakenName, signal: AbortSignal) => Promise<ConflictAnswer>;

/** A group of questions that the user can answer together. */
type Batch = { forAll: ConflictAnswer | undefined };

export type ConflictQuestion = TakenName & { readonly id: number; readonly batch: Batch };

/** The queue of questions about taken names. The user answers each one, or all of a batch at once. */
export class ConflictDesk {
  /** Open questions, oldest first. */
  readonly questions = createStore<readonly ConflictQuestion[]>(() => []);
  #nextId = 1;
  readonly #answers = new Map<number, (answer: ConflictAnswer) => void>();

  /** Starts a batch. An answer for all applies to this batch only. */
  batch(): AskAboutConflict {
    const batch: Batch = { forAll: undefined };
    return (taken, signal) => this.#ask(batch, taken, signal);
  }

  answer(id: number, answer: ConflictAnswer, wholeBatch: boolean): void {
    const open = this.questions.getState();
    const asked = open.find((question) => question.id === id);
    if (!asked) return;
    if (wholeBatch) asked.batch.forAll = answer;
    const answered = wholeBatch ? open.filter((question) => question.batch === asked.batch) : [asked];
    for (const question of answered) {
      this.#answers.get(question.id)?.(answer);
      this.#answers.delete(question.id);
    }
    this.questions.setState(
      open.filter((question) => !answered.includes(question)),
      true,
    );
  }

  #ask(batch: Batch, taken: TakenName, signal: AbortSignal): Promise<ConflictAnswer> {
    signal.throwIfAborted();
    if (batch.forAll) return Promise.resolve(batch.forAll);
    const question = { id: this.#nextId++, batch, ...taken };
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#drop(question.id);
        reject(signal.reason as Error);
      };
      this.#answers.set(question.id, (answer) => {
        signal.removeEventListener('abort', stop);
        resolve(answer);
      });
      signal.addEventListener('abort', stop, { once: true });
      this.questions.setState([...this.questions.getState(), question], true);
    });
  }

  #drop(id: number): void {
    this.#answers.delete(id);
    this.questions.setState(
      this.questions.getState().filter((question) => question.id !== id),
      true,
    );
  }
}

/** The `n`-th other name for a key: `a/photo.jpg` becomes `a/photo (2).jpg`. */
export function otherKey(key: string, n: number): string {
  const nameStart = key.lastIndexOf('/') + 1;
  const dot = key.lastIndexOf('.');
  const cut = dot > nameStart ? dot : key.length;
  return `${key.slice(0, cut)} (${n})${key.slice(cut)}`;
}
