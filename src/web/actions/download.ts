import { notifications } from '@mantine/notifications';
import { failureOf } from '../../transfer/failure.ts';
import { ApiError } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { desktop, downloadByDesktop, downloadByDesktopAs } from '../desktop/desktop.ts';
import { archivedText } from '../api/keeping.ts';
import { inSentence } from '../names/visible.ts';
import { baseName, folderOf, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import { tasks } from '../work/work.ts';
import type { Selection } from './action.ts';
import { archiveDownload } from './archive-download.ts';
import type { Selected } from './beneath.ts';
import { askAboutLeftOut } from './left-out.tsx';
import { headObject, objectUrl } from '../api/object-calls.ts';
import { saveUrl } from './save.ts';

const LARGE_BYTES = 200_000_000;

/** Downloads one file. It sends a HEAD request first, so that a refusal is shown as a message and not saved as a file. */
export async function downloadFile({ place, entries }: Selection): Promise<void> {
  const [entry] = entries;
  if (!entry) return;
  const object = { ...place, key: entry.key };
  try {
    const archived = archivedText((await headObject(object)).keeping);
    if (archived !== undefined) throw new ApiError('conflict', archived);
    if (desktop !== undefined) await tasks.run(await downloadByDesktop(desktop, object));
    else saveUrl(objectUrl(object, { download: true }), entry.name);
  } catch (thrown) {
    notifications.show({
      color: 'red',
      title: t('“{name}” was not downloaded', { name: inSentence(entry.name) }),
      message: explainFailure(failureOf(thrown)),
    });
  }
}

/** Downloads one file with the desktop application, which asks where to save it. */
export async function downloadFileAs({ place, entries }: Selection): Promise<void> {
  const [entry] = entries;
  if (!entry || desktop === undefined) return;
  try {
    const task = await downloadByDesktopAs(desktop, { ...place, key: entry.key });
    if (task) await tasks.run(task);
  } catch (thrown) {
    notifications.show({
      color: 'red',
      title: t('“{name}” was not downloaded', { name: inSentence(entry.name) }),
      message: explainFailure(failureOf(thrown)),
    });
  }
}

/** The maximum number of keys in an archive request. */
const MAX_FILES = 1_000;

export function downloadSelection(selection: Selection): void {
  if (selection.isWhole !== true && selection.entries.length + (selection.leftOut?.length ?? 0) > MAX_FILES) {
    notifications.show({
      color: 'orange',
      title: t('Too many items for one ZIP'),
      message: t('A ZIP can contain up to {count} selected items. Select fewer, or select everything in the folder.', {
        count: MAX_FILES,
      }),
    });
    return;
  }
  askAboutLeftOut(selection, t('Download as ZIP'), () => zipSelection(selection));
}

function zipSelection({ place, entries, leftOut = [], isWhole }: Selection): Promise<void> {
  const [only] = entries.length === 1 ? entries : [];
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : LARGE_BYTES), 0);
  const chosen = [...entries, ...leftOut];
  return zip(
    place,
    isWhole === true && chosen.length > MAX_FILES ? [{ kind: 'folder', key: place.prefix }] : chosen,
    only?.name ?? nameOf(place),
    bytes >= LARGE_BYTES,
  );
}

export function downloadFolder(place: Place): Promise<void> {
  return zip(place, [{ kind: 'folder', key: folderOf(place.prefix) }], nameOf(place), true);
}

async function zip(place: Place, selection: readonly Selected[], name: string, large: boolean): Promise<void> {
  const task = await archiveDownload(place, selection, name, large);
  if (task) await tasks.run(task);
}

function nameOf(place: Place): string {
  const folder = folderOf(place.prefix);
  return folder === '' ? place.bucket : baseName(folder);
}
