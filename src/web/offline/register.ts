import { basePath } from '../base.ts';
import { ui } from '../brand/ui.ts';
import { language } from '../words/language.ts';
import { t } from '../words/words.ts';
import workerUrl from './offline-worker.js?url';

/**
 * Gives the installed application its page for the time without a connection. A tab keeps the browser's own.
 *
 * The words and the name of the worker's file are in its address, so that another version or language replaces it.
 */
export function registerOfflinePage(): void {
  if (!('serviceWorker' in navigator) || !matchMedia('(display-mode: standalone)').matches) return;
  const words = new URLSearchParams({
    lang: language,
    name: ui.name,
    title: t('You are offline'),
    text: t('{name} cannot be reached. This page opens again by itself as soon as there is a connection.', {
      name: ui.name,
    }),
  });
  // Without the worker, everything else works.
  void navigator.serviceWorker.register(`${workerUrl}?${words}`, { scope: basePath }).catch(() => undefined);
}
