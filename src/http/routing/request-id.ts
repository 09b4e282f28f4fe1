import type { Response } from 'express';

/** The id that the answer, its problem document and the log lines share. */
export function requestIdOf(res: Response): string {
  return (res.locals as { requestId?: string }).requestId ?? '';
}
