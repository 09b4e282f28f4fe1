import { useLayoutEffect, type Dispatch, type SetStateAction } from 'react';

/** Keys that mean something to the page, and nothing to a text that is not shown yet. */
const OF_THE_PAGE = /^(?:Enter|Delete|Arrow.+)$/;

/**
 * Takes what is typed for as long as the palette was asked for and has no text field with the focus: the page would take it for its own keys.
 *
 * @param type - changes the text so far. It keeps its identity, as `onEscape` does.
 */
export function useTypedAhead(isWaiting: boolean, type: Dispatch<SetStateAction<string>>, onEscape?: () => void): void {
  useLayoutEffect(() => {
    if (!isWaiting) return;
    const take = (event: KeyboardEvent) => {
      const { key } = event;
      const isText = /^.$/su.test(key);
      if ((event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState('AltGraph')) return;
      if (isText) type((text) => text + key);
      else if (key === 'Backspace') type((text) => text.replace(/.$/su, ''));
      else if (key === 'Escape' && onEscape !== undefined) onEscape();
      else if (!OF_THE_PAGE.test(key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', take, true);
    return () => window.removeEventListener('keydown', take, true);
  }, [isWaiting, type, onEscape]);
}

/** Stands for the palette while it is loaded. */
export function PaletteToCome({ onType, onEscape }: { onType: Dispatch<SetStateAction<string>>; onEscape: () => void }) {
  useTypedAhead(true, onType, onEscape);
  return null;
}
