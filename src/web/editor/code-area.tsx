import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Draft } from './draft.ts';
import classes from './editor.module.css';

/** The editor of a draft. When it appears, it has the focus. */
export function CodeArea({ draft, onText }: { draft: Draft; onText: () => void }) {
  const host = useRef<HTMLDivElement>(null);
  const told = useRef(onText);
  useEffect(() => {
    told.current = onText;
  });
  useEffect(() => {
    const view = new EditorView({
      state: draft.editor,
      parent: host.current!,
      dispatchTransactions: (transactions, at) => {
        at.update(transactions);
        draft.update(at.state);
        if (transactions.some(({ docChanged }) => docChanged)) told.current();
      },
    });
    view.focus();
    return () => view.destroy();
  }, [draft]);
  return <div ref={host} className={classes.area} />;
}
