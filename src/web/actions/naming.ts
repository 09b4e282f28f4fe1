import { formatNumber } from '../format/format.ts';
import { inSentence } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';

/** A selection within a sentence: the name of the only entry, or how many there are. */
export function naming(entries: readonly Entry[]): string {
  const [only] = entries;
  return entries.length === 1 && only ? `“${inSentence(only.name)}”` : `${formatNumber(entries.length)} items`;
}
