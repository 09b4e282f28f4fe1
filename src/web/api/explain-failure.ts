import type { Failure } from '../../transfer/failure.ts';
import { visibleText } from '../names/visible.ts';
import { sentence } from './api-error.ts';

/** What a person can do about a problem, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  network: 'Check your connection, then try again.',
  session_required: 'Sign in again to go on.',
  not_found: 'It may have been moved or deleted meanwhile: reload the folder.',
  bucket_exists: 'Choose another name.',
  bucket_not_empty: 'Delete everything in the bucket first; objects that you may not list count too.',
  precondition_failed: 'Choose another name, or replace what is there.',
  rate_limited: 'Wait a moment, then try again.',
  storage_unavailable: 'Try again in a moment. If it stays so, tell whoever runs this service.',
  storage_timeout: 'Try again in a moment. If it stays so, tell whoever runs this service.',
  internal: 'Try again. If it stays so, tell whoever runs this service.',
};

/** What happened, and what to do about it: one or two sentences. */
export function explainFailure(failure: Failure): string {
  const what = failure.detail === '' ? 'Something went wrong.' : visibleText(sentence(failure.detail));
  const advice = ADVICE[failure.code];
  return advice === undefined || what.includes(advice) ? what : `${what} ${advice}`;
}
