import { inSentence } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import { plural, t } from '../words/words.ts';

/** The wording of a selection for use in a sentence: the quoted name of a single entry, or the number of entries. */
export function naming(entries: readonly Entry[]): string {
  const [only] = entries;
  return entries.length === 1 && only
    ? t('“{name}”', { name: inSentence(only.name) })
    : plural(entries.length, '{count} item', '{count} items');
}
