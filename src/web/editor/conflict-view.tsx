import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
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

/** Two versions of a text side by side, or one below the other on a narrow screen. Differences are marked. */
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
    if (isNarrow) {
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
