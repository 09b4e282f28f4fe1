import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFileUpload } from '@tabler/icons-react';
import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { folderOf, type Place } from '../place/place.ts';
import { filesOfDrop } from './chosen.ts';
import { uploadTo } from './choose.ts';
import styles from './drop-area.module.css';

/** Takes files and folders dropped on a folder's page. @param enabled - whether `objects:write` is listed here. */
export function DropArea({ place, enabled, children }: { place: Place; enabled: boolean; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  const target = { ...place, prefix: folderOf(place.prefix) };

  function enter(event: DragEvent): void {
    if (!holdsFiles(event)) return;
    depth.current += 1;
    setOver(true);
  }

  function leave(event: DragEvent): void {
    if (!holdsFiles(event)) return;
    depth.current -= 1;
    if (depth.current <= 0) reset();
  }

  function hover(event: DragEvent): void {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = enabled ? 'copy' : 'none';
  }

  function drop(event: DragEvent): void {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    reset();
    if (!enabled) return;
    filesOfDrop(event.dataTransfer.items).then(
      (files) => uploadTo(target, files),
      () => notifications.show({ color: 'red', title: 'The drop could not be read', message: 'Use Upload files or Upload folder instead.' }),
    );
  }

  function reset(): void {
    depth.current = 0;
    setOver(false);
  }

  return (
    <div className={styles['area']} onDragEnter={enter} onDragLeave={leave} onDragOver={hover} onDrop={drop} data-testid="drop-area">
      {children}
      {over && (
        <div className={styles['veil']} data-refused={!enabled || undefined}>
          <IconFileUpload size={40} stroke={1.5} />
          <Text fw={600}>{enabled ? `Drop to upload to ${target.prefix === '' ? target.bucket : target.prefix}` : 'You may not upload here'}</Text>
        </div>
      )}
    </div>
  );
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files');
}
