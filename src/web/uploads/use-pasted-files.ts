import { useWindowEvent } from '@mantine/hooks';
import { desktop } from '../desktop/desktop.ts';
import type { Place } from '../place/place.ts';
import type { ChosenFile } from './chosen.ts';
import { uploadTo } from './choose.ts';

/** Uploads files and pictures that are pasted from the system clipboard, unless a dialog or a text field has the focus. */
export function usePastedFiles(place: Place, enabled: boolean): void {
  useWindowEvent('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!enabled || desktop !== undefined || files.length === 0 || isElsewhere(event.target)) return;
    event.preventDefault();
    uploadTo(place, files.map(named));
  });
}

function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('#overlays, input:not([type=checkbox]), textarea') !== null;
}

/** Browsers call every picture without a file `image.png`. It gets the time at which it was pasted, so that none replaces another. */
function named(file: File): ChosenFile {
  if (file.name !== 'image.png') return { file, path: file.name };
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const name = `${local.slice(0, 10)} ${local.slice(11, 19).replaceAll(':', '.')}.png`;
  return { file: new File([file], name, { type: file.type }), path: name };
}
