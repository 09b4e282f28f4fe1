import { useLayoutEffect, useReducer, useRef } from 'react';
import { useSearchParams } from 'react-router';

export type Asked = {
  /** The question in the URL. */
  readonly search: URLSearchParams;
  /** The key of the form. It changes when the question comes from elsewhere, so that the fields begin with it; what the form itself asks leaves the form and its focus as they are. */
  readonly formKey: number;
  /** Puts what the form asks into the URL. */
  readonly ask: (search: URLSearchParams) => void;
  /** Puts what something else on the page asks into the URL. */
  readonly askElsewhere: (search: URLSearchParams) => void;
};

/** The question of a page whose form asks by the URL, so that each answer can be linked. */
export function useAsked(): Asked {
  const [search, setSearch] = useSearchParams();
  const [formKey, renew] = useReducer((count: number) => count + 1, 0);
  const text = search.toString();
  const shown = useRef(text);
  useLayoutEffect(() => {
    if (shown.current === text) return;
    shown.current = text;
    renew();
  }, [text]);
  return {
    search,
    formKey,
    askElsewhere: setSearch,
    ask(next) {
      shown.current = next.toString();
      setSearch(next);
    },
  };
}
