import { useEffect } from 'react';
import { createStore } from 'zustand/vanilla';
import { ui } from './ui.ts';

const title = createStore<{ readonly page: string; readonly percent: number | undefined }>(() => ({
  page: ui.name,
  percent: undefined,
}));
title.subscribe(({ page, percent }) => {
  document.title = percent === undefined ? page : `${percent} % · ${page}`;
});

/** Sets the title of the browser tab. */
export function usePageTitle(page: string): void {
  useEffect(() => title.setState({ page: `${page} · ${ui.name}` }), [page]);
}

/** Shows the progress of the uploads in the title of the browser tab. */
export function useProgressInTitle(percent: number | undefined): void {
  useEffect(() => {
    title.setState({ percent });
    return () => title.setState({ percent: undefined });
  }, [percent]);
}
