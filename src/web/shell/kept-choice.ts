import { useState } from 'react';

type Where = 'localStorage' | 'sessionStorage';

/** A boolean setting in the storage of the browser, which survives a reload. It is undefined until the user makes a choice. */
export function useKeptChoice(
  key: string,
  where: Where,
): readonly [choice: boolean | undefined, choose: (choice: boolean) => void] {
  const [text, keep] = useKeptText(key, where);
  return [text === undefined ? undefined : text === 'true', (choice) => keep(String(choice))];
}

/** A text setting in the storage of the browser, which survives a reload. Another version of the UI may have stored an unknown value. */
export function useKeptText(
  key: string,
  where: Where,
): readonly [text: string | undefined, keep: (text: string) => void] {
  const [text, setText] = useState(() => read(key, where));
  const keep = (next: string): void => {
    setText(next);
    write(key, where, next);
  };
  return [text, keep];
}

/** Reads a stored setting; undefined if the browser blocks storage. */
function read(key: string, where: Where): string | undefined {
  try {
    return window[where].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, where: Where, text: string): void {
  try {
    window[where].setItem(key, text);
  } catch {
    // The browser blocks storage, so the setting lasts until the page is closed.
  }
}
