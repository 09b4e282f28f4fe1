import { notifications } from '@mantine/notifications';
import { copyText } from '../clipboard/clipboard.ts';
import { placeLink, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Selection, Surroundings } from './action.ts';
import { addressOf } from './copy-link.tsx';
import { held, hold, letGo } from './held.ts';
import { faultOfTarget, namingFolder, putIntoFolder } from './into-folder.ts';
import { askAboutLeftOut } from './left-out.tsx';
import { naming } from './naming.ts';

/** The id of the message about the rows to paste. A new message replaces the old one. */
const WAITING = 'waiting-to-be-pasted';

export function cut(selection: Selection): void {
  askAboutLeftOut(selection, t('Cut {what}', { what: naming(selection.entries) }), async () => {
    hold(selection, true);
    tell(
      t('{what} will be moved', { what: naming(selection.entries) }),
      t('Open a folder and paste. Press Escape to cancel.'),
    );
  });
}

/** Holds the rows for pasting. It also copies their URLs to the system clipboard, so that the user can send them to somebody. */
export function copy(selection: Selection): void {
  askAboutLeftOut(selection, t('Copy {what}', { what: naming(selection.entries) }), async () => {
    const { place, entries } = selection;
    hold(selection, false);
    tell(t('{what} will be copied', { what: naming(entries) }), t('Open a folder and paste. Press Escape to cancel.'));
    await copyText(
      entries
        .map(({ kind, key }) =>
          addressOf(kind === 'folder' ? placeLink({ ...place, prefix: key }) : placeLink(place, key)),
        )
        .join('\n'),
    );
  });
}

/** Moves the cut rows or copies the copied rows into a folder. Copied rows can be pasted again. */
export function paste(target: Place, around: Surroundings): void {
  const waiting = held.getState();
  if (waiting === undefined) return;
  notifications.hide(WAITING);
  const fault = faultOfTarget(waiting.selection, target);
  if (fault !== undefined) {
    notifications.show({
      color: 'orange',
      title: t('Nothing was pasted into {place}', { place: namingFolder(target) }),
      message: fault,
    });
    return;
  }
  if (waiting.isCut) letGo();
  void putIntoFolder(waiting.selection, target, waiting.isCut, around);
}

function tell(title: string, message: string): void {
  notifications.hide(WAITING);
  notifications.show({ id: WAITING, title, message });
}
