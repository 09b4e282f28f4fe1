import { Chunk, MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { t } from '../words/words.ts';
import classes from './editor.module.css';
import { lookOf } from './editor-state.ts';

type Properties = {
  readonly objectKey: string;
  readonly mine: string;
  readonly theirs: string;
  /** The names of both texts for screen readers. */
  readonly labels: { readonly mine: string; readonly theirs: string };
  readonly isNarrow: boolean;
};

/** A view of both texts in one draws everything that was deleted, also what is out of sight. */
const MOST_DELETED = 20_000;

function deletedCharacters(before: string, after: string): number {
  const chunks = Chunk.build(Text.of(before.split('\n')), Text.of(after.split('\n')), { scanLimit: 500 });
  return chunks.reduce((sum, { fromA, endA }) => sum + endA - fromA, 0);
}

/** Two versions of a text side by side, or in one on a narrow screen unless too much differs. Differences are marked. */
export function ConflictView({ objectKey, mine, theirs, labels, isNarrow }: Properties) {
  const host = useRef<HTMLDivElement>(null);
  const { mine: myLabel, theirs: theirLabel } = labels;
  useEffect(() => {
    const parent = host.current!;
    const name = visibleText(baseName(objectKey));
    const options = (label: string) => [
      lookOf(objectKey, true),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorState.phrases.of({ '$ unchanged lines': t('{number} unchanged lines', { number: '$' }) }),
    ];
    const collapse = { margin: 3, minSize: 6 };
    if (isNarrow && deletedCharacters(theirs, mine) <= MOST_DELETED) {
      const view = new EditorView({
        doc: mine,
        extensions: [
          options(t('Differences of {name}', { name })),
          unifiedMergeView({ original: theirs, mergeControls: false, collapseUnchanged: collapse }),
        ],
        parent,
      });
      return () => view.destroy();
    }
    const view = new MergeView({
      a: { doc: theirs, extensions: options(theirLabel) },
      b: { doc: mine, extensions: options(myLabel) },
      collapseUnchanged: collapse,
      parent,
    });
    return () => view.destroy();
  }, [objectKey, mine, theirs, myLabel, theirLabel, isNarrow]);
  return <div ref={host} className={classes.merge} />;
}
