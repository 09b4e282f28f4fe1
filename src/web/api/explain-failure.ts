import type { Failure } from '../../transfer/failure.ts';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import { sentence } from './api-error.ts';

/** What a user can do about a problem, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  network: t('Check your connection, then try again.'),
  session_required: t('Sign in again to continue.'),
  not_found: t('It may have been moved or deleted. Reload the folder.'),
  bucket_exists: t('Choose another name.'),
  bucket_not_empty: t('Delete everything in the bucket first. It may also contain files that you may not see.'),
  precondition_failed: t('Choose another name, or replace the existing file.'),
  api_key_capacity: t('Revoke a key that is no longer needed.'),
  rate_limited: t('Wait a moment, then try again.'),
  overloaded: t('Wait a moment, then try again.'),
  storage_unavailable: t('Try again in a moment.'),
  storage_timeout: t('Try again in a moment.'),
  internal: t('Try again.'),
};

/** The problems that an administrator can look into. */
const FOR_ADMINISTRATORS = new Set(['storage_unavailable', 'storage_timeout', 'internal']);

/** What is waited for, in as few words as fit into a line. */
const WAITING: Readonly<Record<string, string>> = {
  rate_limited: t('Waiting for your other transfers'),
  overloaded: t('Waiting · the service is busy'),
};

/** The problems that only an operator can solve. The instructions for operators follow a semicolon in the message. */
const FOR_OPERATORS = new Set([
  'storage_unavailable',
  'storage_timeout',
  'state_unavailable',
  'session_store_unavailable',
  'session_capacity',
  'api_key_capacity',
]);
let isOperator = false;

/** Sets whether messages include the instructions for operators. They do for administrators. */
export function explainToOperator(is: boolean): void {
  isOperator = is;
}

/** The message of a failure and what to do about it, in one or two sentences. The instructions in a message follow a semicolon. */
export function explainFailure(failure: Failure): string {
  const what = meaningOf(failure);
  const advice = adviceOn(failure.code);
  return advice === undefined || what.includes(advice) || what.includes('; ') ? what : `${what} ${advice}`;
}

function adviceOn(code: string): string | undefined {
  const advice = ADVICE[code];
  if (advice === undefined || isOperator || !FOR_ADMINISTRATORS.has(code)) return advice;
  return `${advice} ${t('If the problem persists, tell an administrator of this service.')}`;
}

/** What a task waits for that goes on by itself. */
export function explainWaiting(failure: Failure): string {
  return WAITING[failure.code] ?? t('Trying again · {why}', { why: meaningOf(failure) });
}

function meaningOf(failure: Failure): string {
  return failure.detail === '' ? t('Something went wrong.') : visibleText(sentence(forReader(failure)));
}

/** Replaces backticks with quotation marks, and removes the instructions for operators if the user is not an administrator. */
function forReader({ code, detail }: Failure): string {
  const visible = FOR_OPERATORS.has(code) && !isOperator ? detail.split(';', 1)[0]! : detail;
  return visible.replaceAll(/`([^`]*)`/g, '“$1”');
}
