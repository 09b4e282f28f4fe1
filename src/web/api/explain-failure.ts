import type { Failure } from '../../transfer/failure.ts';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import { sentence } from './api-error.ts';

/** What a person can do about a problem, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  network: t('Check your connection, then try again.'),
  session_required: t('Sign in again to go on.'),
  not_found: t('It may have been moved or deleted meanwhile: reload the folder.'),
  bucket_exists: t('Choose another name.'),
  bucket_not_empty: t('Delete everything in the bucket first; files that you may not see count too.'),
  precondition_failed: t('Choose another name, or replace what is there.'),
  api_key_capacity: t('Revoke one that is not needed any more.'),
  rate_limited: t('Wait a moment, then try again.'),
  storage_unavailable: t('Try again in a moment. If it stays so, tell whoever runs this service.'),
  storage_timeout: t('Try again in a moment. If it stays so, tell whoever runs this service.'),
  internal: t('Try again. If it stays so, tell whoever runs this service.'),
};

/** Faults that only an operator can mend. What they are to do follows the semicolon of the message. */
const FOR_OPERATORS = new Set(['storage_unavailable', 'storage_timeout', 'audit_unavailable', 'state_unavailable', 'session_store_unavailable', 'session_capacity', 'api_key_capacity']);
let isOperator = false;

/** Says whether the reader is an administrator. Nobody else is told what an operator has to do. */
export function explainToOperator(is: boolean): void {
  isOperator = is;
}

/** What happened, and what to do about it: one or two sentences. */
export function explainFailure(failure: Failure): string {
  const what = failure.detail === '' ? t('Something went wrong.') : visibleText(sentence(forReader(failure)));
  const advice = ADVICE[failure.code];
  return advice === undefined || what.includes(advice) ? what : `${what} ${advice}`;
}

/** Quotes are for people, and backticks for those who read logs. */
function forReader({ code, detail }: Failure): string {
  const told = FOR_OPERATORS.has(code) && !isOperator ? detail.split(';', 1)[0]! : detail;
  return told.replaceAll(/`([^`]*)`/g, '“$1”');
}
