import type { Ui } from '../../wire/ui.ts';

/** The name, logo, help and banner of this installation, which the service inserts into the page. */
export const ui = read();

function read(): Ui {
  const content = document.querySelector<HTMLMetaElement>('meta[name="svc-ui"]')?.content;
  return content === undefined ? { name: 'svc' } : (JSON.parse(content) as Ui);
}
