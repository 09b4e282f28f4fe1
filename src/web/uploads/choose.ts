import type { Place } from '../place/place.ts';
import { uploads } from '../work/work.ts';
import { filesOfInput, type ChosenFile } from './chosen.ts';

/** Opens the browser's file dialog; with `folder` for a whole folder. Resolves with nothing when it is closed. */
export function chooseFiles(options: { readonly folder?: boolean; readonly single?: boolean } = {}): Promise<ChosenFile[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = options.single !== true;
  input.webkitdirectory = options.folder === true;
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve(filesOfInput(input.files ?? [])));
    input.addEventListener('cancel', () => resolve([]));
    input.click();
  });
}

/** Puts files in line for a folder; the folders that they were chosen in become part of their keys. */
export function uploadTo({ provider, bucket, prefix }: Place, files: readonly ChosenFile[]): void {
  uploads.add(files.map(({ file, path }) => ({ file, target: { provider, bucket, key: prefix + path } })));
}
