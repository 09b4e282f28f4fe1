import { inSentence } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import { plural, t } from '../words/words.ts';

/** A selection within a sentence: the name of the only entry, or how many there are. */
export function naming(entries: readonly Entry[]): string {
  const [only] = entries;
  return entries.length === 1 && only ? t('“{name}”', { name: inSentence(only.name) }) : plural(entries.length, '{count} item', '{count} items');
}
