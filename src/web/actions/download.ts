import { notifications } from '@mantine/notifications';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { baseName, folderOf, type Place } from '../place/place.ts';
import { tasks } from '../work/work.ts';
import type { Selection } from './action.ts';
import { archiveDownload } from './archive-download.ts';
import type { Selected } from './beneath.ts';
import { askAboutLeftOut } from './left-out.tsx';
import { headObject, objectUrl } from './object-calls.ts';
import { saveUrl } from './save.ts';

const LARGE_BYTES = 200_000_000;

/** Asks for the object's headers first, so that a refusal is told here and not by a file that holds an error. */
export async function downloadFile({ place, entries }: Selection): Promise<void> {
  const [entry] = entries;
  if (!entry) return;
  const object = { ...place, key: entry.key };
  try {
    await headObject(object);
    saveUrl(objectUrl(object, { download: true }), entry.name);
  } catch (thrown) {
    notifications.show({ color: 'red', title: `\`${entry.name}\` was not downloaded`, message: explainFailure(failureOf(thrown)) });
  }
}

export function downloadSelection(selection: Selection): void {
  askAboutLeftOut(selection, 'Download as ZIP', () => zipSelection(selection));
}

function zipSelection({ place, entries, leftOut = [] }: Selection): Promise<void> {
  const [only] = entries.length === 1 ? entries : [];
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : LARGE_BYTES), 0);
  return zip(place, [...entries, ...leftOut], only?.name ?? nameOf(place), bytes >= LARGE_BYTES);
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
