import { endingOf } from '../../wire/kind.ts';
import type { Entry } from './entry.ts';
import { kindOf } from './kind.ts';

/** Larger objects cannot be edited. */
export const MOST_EDITABLE_BYTES = 1_048_576;

/** Whether an object can be edited as text, judged by its name and its size. */
export function isEditable(entry: Entry): boolean {
  return entry.kind === 'file' && isShortText(entry);
}

/** Whether an object, or a version of it, is a text of at most {@link MOST_EDITABLE_BYTES}, judged by its name and its size. */
export function isShortText({ key, size }: { readonly key: string; readonly size: number }): boolean {
  if (size > MOST_EDITABLE_BYTES) return false;
  return ['text', 'code', 'csv'].includes(kindOf(key).kind) || endingOf(key) === 'svg';
}
