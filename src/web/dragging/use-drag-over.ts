import { useEffect, useState } from 'react';
import { isSamePlace } from '../place/place.ts';
import { placeUnder, type PlaceUnder } from '../pointer/place-under.ts';

type DragOver = {
  readonly over: PlaceUnder | undefined;
  /** Whether Ctrl or Alt (on a Mac) is held, which makes the drop a copy. */ readonly wantsCopy: boolean;
};

/** Follows a drag over the page. @param onEnd - has to be the same function on each render. */
export function useDragOver(onEnd: (dragged: undefined) => void): DragOver {
  const [state, setState] = useState<DragOver>({ over: undefined, wantsCopy: false });
  useEffect(() => {
    const hover = (event: DragEvent): void => {
      const over = placeUnder(event);
      const wantsCopy = event.ctrlKey || event.altKey;
      setState((last) => (isSame(last.over, over) && last.wantsCopy === wantsCopy ? last : { over, wantsCopy }));
    };
    const hovers = ['dragenter', 'dragover'] as const;
    // If the dragged row has left the document, there is no `dragend` event. There are no pointer events during a drag, so the next one shows that it has ended.
    const ends = ['dragend', 'drop', 'pointermove', 'pointerdown'] as const;
    const end = (): void => onEnd(undefined);
    for (const type of hovers) document.addEventListener(type, hover, true);
    for (const type of ends) document.addEventListener(type, end);
    return () => {
      for (const type of hovers) document.removeEventListener(type, hover, true);
      for (const type of ends) document.removeEventListener(type, end);
    };
  }, [onEnd]);
  return state;
}

function isSame(a: PlaceUnder | undefined, b: PlaceUnder | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.element === b.element && isSamePlace(a.place, b.place);
}
