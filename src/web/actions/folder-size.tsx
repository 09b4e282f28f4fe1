import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { formatBytes } from '../../format/byte-size.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { baseName, placeLink, placeName, type Place } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import { openDialog } from './dialog.tsx';
import classes from './folder-size.module.css';
import { useSize, type Amount } from './use-size.ts';

const SHOWN = 100;

export function openFolderSize(place: Place): void {
  openDialog(t('Size of {place}', { place: visibleText(placeName(place)) }), (close) => (
    <FolderSize place={place} close={close} />
  ));
}

/** Shows the size of everything below a folder, during and after the count, and the subfolders by size, the largest first. */
function FolderSize({ place, close }: { place: Place; close: () => void }) {
  const { value, state, failure, stop } = useSize(place);
  const { total, folders } = value;
  const largestFirst = [...folders].sort(([, a], [, b]) => b.bytes - a.bytes);
  const [, largest] = largestFirst[0] ?? [];
  return (
    <Stack gap="sm">
      <div aria-live={state === 'counting' ? 'off' : 'polite'}>
        <Text fz="xl" fw={600} className="tabular">
          {formatBytes(total.bytes)}
        </Text>
        <Text size="sm" c="dimmed" className="tabular">
          {state === 'counting'
            ? t('Counting: {items} so far…', { items: items(total) })
            : state === 'counted'
              ? items(total)
              : t('At least {items}', { items: items(total) })}
        </Text>
        {failure !== undefined && (
          <Text size="sm">
            {t('The rest could not be counted.')} {explainFailure(failure)}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t('Files that you may not see are not counted.')}
        </Text>
      </div>
      {largest !== undefined && (
        <ul className={classes.folders} aria-label={t('Folders by size')}>
          {largestFirst.slice(0, SHOWN).map(([prefix, amount]) => (
            <li key={prefix}>
              <Link
                to={placeLink({ ...place, prefix })}
                className={classes.folder}
                onClick={close}
                title={items(amount)}
              >
                <span className={classes.name}>
                  <Name cut>{baseName(prefix)}</Name>
                </span>
                <span className={classes.bytes}>{formatBytes(amount.bytes)}</span>
                <span
                  className={classes.bar}
                  style={{ width: `${(100 * amount.bytes) / Math.max(1, largest.bytes)}%` }}
                  aria-hidden
                />
              </Link>
            </li>
          ))}
          {largestFirst.length > SHOWN && (
            <li>{plural(largestFirst.length - SHOWN, 'and {count} smaller one', 'and {count} smaller ones')}</li>
          )}
        </ul>
      )}
      <Group justify="flex-end" gap="sm">
        {state === 'counting' && (
          <Button variant="default" onClick={stop}>
            {t('Stop counting')}
          </Button>
        )}
        <Button onClick={close}>{t('Close')}</Button>
      </Group>
    </Stack>
  );
}

function items({ objects }: Amount): string {
  return plural(objects, '{count} item', '{count} items');
}
