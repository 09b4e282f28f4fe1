/** The message of a failure for the person at the window: what happened, and what to do about it. */
export function sentenceOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'the disk is full; free some space, and the download resumes at the next start';
  return message;
}
