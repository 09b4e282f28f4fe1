import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { desktop } from '../desktop/desktop.ts';
import type { WatchedFolder } from '../desktop/native-watches.ts';
import { inSentence, visibleText } from '../names/visible.ts';
import type { Place } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import { openDialog } from './dialog.tsx';

const LOOK_MS = 1_000;

/** Lets the user choose a local folder, and uploads its new and changed files to the place from then on. */
export async function watchFolder({ provider, bucket, prefix }: Place): Promise<void> {
  try {
    const begun = await desktop?.watchFolder?.({ provider, bucket, key: prefix });
    if (begun) openWatchedFolders();
  } catch (thrown) {
    notifications.show({ color: 'red', title: t('No folder is watched'), message: explainFailure(failureOf(thrown)) });
  }
}

export function openWatchedFolders(): void {
  openDialog(t('Watched folders'), (close) => <WatchedFolders close={close} />);
}

function WatchedFolders({ close }: { close: () => void }) {
  const [watched, setWatched] = useState<readonly WatchedFolder[]>();
  useEffect(() => {
    const look = () => void desktop?.watchedFolders().then(setWatched, () => undefined);
    look();
    const looking = setInterval(look, LOOK_MS);
    return () => clearInterval(looking);
  }, []);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {watched?.length === 0
          ? t('No folder is watched. Choose “Watch a local folder…” in the menu of a folder here.')
          : t(
              'New and changed files are uploaded while svc is open. Nothing is ever deleted or downloaded, and hidden and temporary files are left out.',
            )}
      </Text>
      {watched?.map((one) => (
        <Watched
          key={one.id}
          watched={one}
          onStopped={() => setWatched((all) => all?.filter(({ id }) => id !== one.id))}
        />
      ))}
      <Group justify="flex-end">
        <Button onClick={close}>{t('Close')}</Button>
      </Group>
    </Stack>
  );
}

function Watched({
  watched: { id, folder, target, stored, waiting, refusedCount, refused, trouble },
  onStopped,
}: {
  watched: WatchedFolder;
  onStopped: () => void;
}) {
  return (
    <div role="group" aria-label={visibleText(folder)}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {visibleText(folder)}{' '}
          <Text span size="sm" c="dimmed">
            {t('to {place}', { place: visibleText(`${target.bucket}/${target.key}`) })}
          </Text>
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('Stop watching {name}', { name: inSentence(folder) })}
          onClick={() => void desktop?.stopWatching({ id }).then(onStopped)}
        >
          {t('Stop watching')}
        </Button>
      </Group>
      <Text size="sm" className="tabular">
        {t('{stored} uploaded · {waiting} waiting', { stored, waiting })}
      </Text>
      {trouble && <Text size="sm">{explainFailure(trouble)}</Text>}
      {refusedCount > 0 && (
        <details>
          <summary>
            <Text span size="sm">
              {plural(refusedCount, '{count} file was not uploaded', '{count} files were not uploaded')}
            </Text>
          </summary>
          <ul>
            {refused.map(({ path, failure }) => (
              <li key={path}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {visibleText(path)}:{' '}
                  {failure.code === 'precondition_failed'
                    ? t('A file with this name already exists, or somebody else has changed it.')
                    : explainFailure(failure)}
                </Text>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
