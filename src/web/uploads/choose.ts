import { notifications } from '@mantine/notifications';
import { failureOf } from '../../transfer/failure.ts';
import type { Target } from '../../transfer/transport.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { desktop } from '../desktop/desktop.ts';
import { takeByDesktop, type NativeUploads } from '../desktop/native-uploads.ts';
import type { Place } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import { uploads } from '../work/work.ts';
import { filesOfInput, type ChosenFile } from './chosen.ts';

/** Opens the browser's file dialog, with `folder` for a whole folder. Resolves with an empty list if the user closes it. */
export function chooseFiles(
  options: { readonly folder?: boolean; readonly single?: boolean } = {},
): Promise<ChosenFile[]> {
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

/** Queues files for upload to a folder. The folders in which they were chosen become part of their keys. */
export function uploadTo({ provider, bucket, prefix }: Place, files: readonly ChosenFile[]): void {
  const targetOf = (path: string): Target => ({ provider, bucket, key: prefix + path });
  if (desktop === undefined) uploads.add(files.map(({ file, path }) => ({ file, target: targetOf(path) })));
  else void addByDesktop(desktop, files, targetOf);
}

/** Tells how many files and folders were not read. */
export function tellLeftOut(count: number): void {
  if (count === 0) return;
  notifications.show({
    color: 'orange',
    title: plural(count, '{count} item was left out', '{count} items were left out'),
    message: t('Symbolic links are not followed, and some files may not be readable.'),
  });
}

async function addByDesktop(
  native: NativeUploads,
  files: readonly ChosenFile[],
  targetOf: (path: string) => Target,
): Promise<void> {
  try {
    const taken = await takeByDesktop(native, files, targetOf);
    uploads.add(taken.uploads);
    tellLeftOut(taken.leftOut);
  } catch (thrown) {
    notifications.show({ color: 'red', title: t('Nothing was uploaded'), message: explainFailure(failureOf(thrown)) });
  }
}
