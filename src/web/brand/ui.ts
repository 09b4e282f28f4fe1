import type { Ui } from '../../wire/ui.ts';

/** How this installation presents itself, as the service wrote it into the page. */
export const ui = read();

function read(): Ui {
  const content = document.querySelector<HTMLMetaElement>('meta[name="svc-ui"]')?.content;
  return content === undefined ? { name: 'svc' } : (JSON.parse(content) as Ui);
}
