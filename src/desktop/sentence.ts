import { catalogue } from '../errors/catalogue.ts';
import { codeOf, type SvcError } from '../errors/svc-error.ts';

/** The message of a failure for the person at the window: what happened, and what to do about it. */
export function sentenceOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return (error as SvcError).detail ?? catalogue[code].title;
  const { code: system, message } = error as NodeJS.ErrnoException;
  if (system === 'ENOSPC') return 'the disk is full; free some space, and the download resumes at the next start';
  return message;
}
