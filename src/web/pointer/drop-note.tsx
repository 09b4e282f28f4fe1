import { useEffect, useRef, type ReactNode } from 'react';
import classes from './drop-note.module.css';

/** The distance between the pointer and the note in pixels. */
const AWAY = 16;

type Properties = {
  /** The element under the pointer that accepts or refuses the drop; it is highlighted. */
  readonly on: HTMLElement | undefined;
  readonly refused: boolean;
  readonly children: ReactNode;
};

/** A note at the pointer that says what a drop would do. */
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
    <div
      ref={note}
      className={classes.note}
      data-refused={refused || undefined}
      data-testid="drop-note"
      style={{ visibility: 'hidden' }}
    >
      {children}
    </div>
  );
}
