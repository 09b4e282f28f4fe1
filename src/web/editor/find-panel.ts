import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { t } from '../words/words.ts';

/** Find and replace. The browser's own search does not see the lines that are not drawn. */
export function findPanel(): Extension {
  return [
    search({ top: true }),
    keymap.of(searchKeymap),
    EditorState.phrases.of({
      Find: t('Find'),
      Replace: t('Replace with'),
      next: t('next'),
      previous: t('previous'),
      all: t('all'),
      'match case': t('match case'),
      'by word': t('by word'),
      regexp: t('pattern'),
      replace: t('replace'),
      'replace all': t('replace all'),
      close: t('Close'),
      'current match': t('current match'),
      'on line': t('on line'),
      'replaced match on line $': t('replaced match on line {line}', { line: '$' }),
      'replaced $ matches': t('replaced {number} matches', { number: '$' }),
      'Go to line': t('Go to line'),
      go: t('go'),
    }),
  ];
}
