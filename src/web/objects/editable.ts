import { endingOf } from '../../wire/kind.ts';
import type { Entry } from './entry.ts';
import { kindOf } from './kind.ts';

/** Larger objects cannot be edited. */
export const MOST_EDITABLE_BYTES = 1_048_576;

/** Whether an object can be edited as text, judged by its name and its size. */
export function isEditable(entry: Entry): boolean {
  if (entry.kind !== 'file' || entry.size > MOST_EDITABLE_BYTES) return false;
  return ['text', 'code', 'csv'].includes(kindOf(entry.key).kind) || endingOf(entry.key) === 'svg';
}
