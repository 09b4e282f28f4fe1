import { useEffect, useRef, type ReactNode } from 'react';
import classes from './drop-note.module.css';

/** Pixels between the pointer and the note. */
const AWAY = 16;

type Properties = {
  /** The part of the page that would be dropped on; it lights up. */
  readonly on: HTMLElement | undefined;
  readonly refused: boolean;
  readonly children: ReactNode;
};

/** Says beside the pointer what letting go would do. */
export function DropNote({ on, refused, children }: Properties) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = ({ clientX, clientY }: DragEvent): void => {
      const { current } = note;
      if (current === null) return;
      const x = Math.min(clientX + AWAY, window.innerWidth - current.offsetWidth - AWAY);
      const y = Math.min(clientY + AWAY, window.innerHeight - current.offsetHeight - AWAY);
      current.style.transform = `translate(${Math.max(x, 0)}px, ${y}px)`;
      current.style.visibility = 'visible';
    };
    document.addEventListener('dragover', follow);
    return () => document.removeEventListener('dragover', follow);
  }, []);
  useEffect(() => {
    on?.setAttribute('data-drop', refused ? 'refused' : 'taken');
    return () => on?.removeAttribute('data-drop');
  }, [on, refused]);
  return (
    <div ref={note} className={classes.note} data-refused={refused || undefined} data-testid="drop-note" style={{ visibility: 'hidden' }}>
      {children}
    </div>
  );
}
