import { useLayoutEffect, type Dispatch, type SetStateAction } from 'react';

/** Keys that would start something on the page. They are ignored while the palette is loading. */
const OF_THE_PAGE = /^(?:Enter|Delete|Arrow.+)$/;

/**
 * Collects what the user types after opening the palette and before its text field has the focus, so that the page does not treat it as shortcuts.
 *
 * @param type - changes the text so far. It has to be the same function on each render, like `onEscape`.
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

/** Collects the typed text while the code of the palette is loading. */
export function PaletteToCome({
  onType,
  onEscape,
}: {
  onType: Dispatch<SetStateAction<string>>;
  onEscape: () => void;
}) {
  useTypedAhead(true, onType, onEscape);
  return null;
}
