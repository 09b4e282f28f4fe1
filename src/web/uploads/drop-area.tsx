import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { IconFileUpload } from '@tabler/icons-react';
import { useState, type DragEvent, type ReactNode } from 'react';
import { permissionsQuery } from '../api/queries.ts';
import { desktop } from '../desktop/desktop.ts';
import { inSentence } from '../names/visible.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import { folderOf, placeName, type Place } from '../place/place.ts';
import { DropNote } from '../pointer/drop-note.tsx';
import { placeUnder, type PlaceUnder } from '../pointer/place-under.ts';
import { t } from '../words/words.ts';
import { filesOfDrop, thingsOfDrop } from './chosen.ts';
import { tellLeftOut, uploadTo } from './choose.ts';
import styles from './drop-area.module.css';
import { usePastedFiles } from './use-pasted-files.ts';

/** The target of a drop: the row or breadcrumb of a folder, or the open folder if `part` is undefined. */
type Over = { readonly part: PlaceUnder | undefined };

/** Uploads files and folders that are dropped on the folder page or on a folder in it, and files that are pasted. @param enabled - whether the user may write to the open folder. */
export function DropArea({ place, enabled, children }: { place: Place; enabled: boolean; children: ReactNode }) {
  const [over, setOver] = useState<Over>();
  const client = useQueryClient();
  const target = { ...place, prefix: folderOf(place.prefix) };

  usePastedFiles(target, enabled);

  function leave({ currentTarget, relatedTarget }: DragEvent): void {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(undefined);
  }

  /** Browsers take a drop only on an element that has accepted the last event. That is `dragenter` where another element has come beneath the pointer meanwhile. */
  function hover(event: DragEvent): void {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    const part = placeUnder(event);
    event.dataTransfer.dropEffect = part !== undefined || enabled ? 'copy' : 'none';
    show(part);
  }

  function show(part: PlaceUnder | undefined): void {
    setOver((last) => (last !== undefined && last.part?.element === part?.element ? last : { part }));
  }

  function drop(event: DragEvent): void {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    setOver(undefined);
    const part = placeUnder(event);
    if (part !== undefined || enabled) void take(event.dataTransfer, part?.place);
  }

  /** Uploads a drop. It checks the permissions on a folder that is dropped on, because they may not be loaded yet. */
  async function take({ items, files: things }: DataTransfer, folder: Place | undefined): Promise<void> {
    const reading = desktop === undefined ? filesOfDrop(items) : thingsOfDrop(things);
    try {
      const { files, leftOut } = await reading;
      if (
        folder === undefined ||
        (await client.query(permissionsQuery(folder))).here?.includes('objects:write') === true
      ) {
        uploadTo(folder ?? target, files);
        tellLeftOut(leftOut);
      } else notifications.show({ color: 'red', title: t('Nothing was uploaded'), message: refusalOf(folder) });
    } catch {
      notifications.show({
        color: 'red',
        title: t('The dropped files could not be read'),
        message: t('Use Upload files or Upload folder instead.'),
      });
    }
  }

  return (
    <div
      className={styles['area']}
      onDragEnter={hover}
      onDragLeave={leave}
      onDragOver={hover}
      onDrop={drop}
      data-testid="drop-area"
    >
      {children}
      {over?.part !== undefined && <OverPart {...over.part} />}
      {over !== undefined && over.part === undefined && (
        <div className={styles['veil']} data-refused={!enabled || undefined}>
          <IconFileUpload size={40} stroke={1.5} />
          <Text fw={600}>
            {enabled
              ? t('Drop to upload to {place}', {
                  place: inSentence(target.prefix === '' ? target.bucket : target.prefix),
                })
              : t('You may not upload here')}
          </Text>
        </div>
      )}
    </div>
  );
}

function OverPart({ element, place }: PlaceUnder) {
  const { mayHere, pending } = useFolderPermissions(place);
  const refused = !pending && !mayHere('objects:write');
  return (
    <DropNote on={element} refused={refused}>
      {pending
        ? t('Checking your permissions…')
        : refused
          ? refusalOf(place)
          : t('Upload to “{place}”', { place: inSentence(placeName(place)) })}
    </DropNote>
  );
}

function refusalOf(place: Place): string {
  return t('You may not upload to “{place}”.', { place: inSentence(placeName(place)) });
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files');
}
