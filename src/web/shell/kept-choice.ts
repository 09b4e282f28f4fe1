import { useState } from 'react';

type Where = 'localStorage' | 'sessionStorage';

/** A choice that is still there after a reload: for good, or as long as the tab is open. Undefined until somebody chooses. */
export function useKeptChoice(key: string, where: Where): readonly [choice: boolean | undefined, choose: (choice: boolean) => void] {
  const [text, keep] = useKeptText(key, where);
  return [text === undefined ? undefined : text === 'true', (choice) => keep(String(choice))];
}

/** The same for a choice among several. What was kept may be anything: an older version of the UI may have written it. */
export function useKeptText(key: string, where: Where): readonly [text: string | undefined, keep: (text: string) => void] {
  const [text, setText] = useState(() => read(key, where));
  const keep = (next: string): void => {
    setText(next);
    write(key, where, next);
  };
  return [text, keep];
}

/** A browser may refuse its storage. */
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
    // It holds until the page is left.
  }
}
