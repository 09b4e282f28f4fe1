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

/** A view of both texts in one draws everything that was deleted, also what is out of sight. */
const MOST_IN_ONE = 20_000;

/** The characters of `before` from the first one that differs to the last one. */
function changedCharacters(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return before.length - start - end;
}

/** Two versions of a text side by side, or in one on a narrow screen unless their differences lie far apart. Differences are marked. */
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
    if (isNarrow && changedCharacters(theirs, mine) <= MOST_IN_ONE) {
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
