import { useState } from 'react';

type Where = 'localStorage' | 'sessionStorage';

/** A choice that is still there after a reload: for good, or as long as the tab is open. Undefined until somebody chooses. */
export function useKeptChoice(key: string, where: Where): readonly [choice: boolean | undefined, choose: (choice: boolean) => void] {
  const [choice, setChoice] = useState(() => read(key, where));
  const choose = (next: boolean): void => {
    setChoice(next);
    write(key, where, next);
  };
  return [choice, choose];
}

/** A browser may refuse its storage. */
function read(key: string, where: Where): boolean | undefined {
  try {
    const text = window[where].getItem(key);
    return text === null ? undefined : text === 'true';
  } catch {
    return undefined;
  }
}

function write(key: string, where: Where, choice: boolean): void {
  try {
    window[where].setItem(key, String(choice));
  } catch {
    // It holds until the page is left.
  }
}
