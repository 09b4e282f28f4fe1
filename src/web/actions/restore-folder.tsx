import { Badge, Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { formatBytes } from '../../format/byte-size.ts';
import { explainFailure } from '../api/explain-failure.ts';
import type { RestoreEntry } from '../../wire/restore-folder.ts';
import { bucketInfoQuery } from '../api/version-calls.ts';
import { formatExactTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { placeName, type Place } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import type { Surroundings } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { NO_PLAN, planRestore, runRestore, whyText } from './restore-plan.ts';
import { useGrowing } from './use-growing.ts';

const DAY_MS = 86_400_000;

/** Asks for a moment, shows what would change, and brings a folder back to that moment. */
export function openRestoreFolder(place: Place, { queryClient }: Surroundings): void {
  openDialog(
    t('Restore {place} to an earlier time', { place: visibleText(placeName(place)) }),
    (close) => <RestoreFolder place={place} client={queryClient} close={close} />,
    'lg',
  );
}

type Properties = { readonly place: Place; readonly client: QueryClient; readonly close: () => void };

function RestoreFolder({ place, client, close }: Properties) {
  const [now] = useState(() => Date.now());
  const [text, setText] = useState(() => localText(now - DAY_MS));
  const [at, setAt] = useState<string>();
  const info = useQuery(bucketInfoQuery(place));
  const time = new Date(text).getTime();
  const isPast = time <= now;
  const plan = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isPast) setAt(new Date(time).toISOString());
  };
  if (info.data?.versioning === 'never')
    return <Text>{t('This bucket keeps no versions: what is overwritten or deleted is gone.')}</Text>;
  if (at !== undefined)
    return <PlanOf place={place} at={at} client={client} close={close} onBack={() => setAt(undefined)} />;
  return (
    <form onSubmit={plan} noValidate>
      <Stack gap="md">
        <TextInput
          type="datetime-local"
          step={1}
          max={localText(now)}
          label={t('Date and time')}
          description={t('Everything in the folder and its subfolders gets the content that it had then.')}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={!isPast && t('Choose a time in the past.')}
          data-autofocus
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" disabled={!isPast}>
            {t('Show what would change')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PlanOf({
  place,
  at,
  client,
  close,
  onBack,
}: Properties & { readonly at: string; readonly onBack: () => void }) {
  const { value, state, failure, stop } = useGrowing({ value: NO_PLAN, state: 'counting' }, (signal) =>
    planRestore(place, at, signal),
  );
  const { counts, entries } = value;
  const changes = counts.restore.objects + counts.delete.objects;
  const more = changes + counts.leave.objects - entries.length;
  return (
    <DialogForm
      submitLabel={t('Restore the folder')}
      destructive={counts.delete.objects > 0}
      disabled={state !== 'counted' || changes === 0}
      close={close}
      submit={async () => void runRestore(place, at, value, client)}
    >
      <Text size="sm">{t('As it was on {time}:', { time: formatExactTime(at) })}</Text>
      <div aria-live={state === 'counting' ? 'off' : 'polite'}>
        <Text size="sm" className="tabular">
          {plural(counts.restore.objects, '{count} file comes back ({size}).', '{count} files come back ({size}).', {
            size: formatBytes(counts.restore.bytes),
          })}
        </Text>
        <Text size="sm" className="tabular">
          {plural(
            counts.delete.objects,
            '{count} file did not exist then and is deleted. Its versions stay.',
            '{count} files did not exist then and are deleted. Their versions stay.',
          )}
        </Text>
        {counts.leave.objects > 0 && (
          <Text size="sm" className="tabular">
            {plural(
              counts.leave.objects,
              '{count} file was different then, but stays as it is.',
              '{count} files were different then, but stay as they are.',
            )}
          </Text>
        )}
        <Text size="sm" c="dimmed" className="tabular">
          {plural(counts.unchanged.objects, '{count} file is as it was then.', '{count} files are as they were then.')}
        </Text>
        {state === 'counting' && (
          <Group gap="xs" mt="xs">
            <Loader size="xs" />
            <Text size="sm">{t('Comparing…')}</Text>
            <Button size="compact-sm" variant="subtle" onClick={stop}>
              {t('Stop')}
            </Button>
          </Group>
        )}
        {state === 'stopped' && (
          <Text size="sm">{t('The comparison is not complete, so nothing can be restored.')}</Text>
        )}
        {failure !== undefined && (
          <Text size="sm" c="red" role="alert">
            {explainFailure(failure)}
          </Text>
        )}
      </div>
      {entries.length > 0 && (
        <Stack
          component="ul"
          gap={6}
          m={0}
          p={0}
          mah="14rem"
          tabIndex={0}
          aria-label={t('What would change')}
          style={{ listStyle: 'none', overflowY: 'auto' }}
        >
          {entries.map((entry) => (
            <EntryLine key={entry.key} entry={entry} prefix={place.prefix} />
          ))}
          {state === 'counted' && more > 0 && <li>{t('and {count} more', { count: more })}</li>}
        </Stack>
      )}
      <Button variant="subtle" size="compact-sm" w="fit-content" onClick={onBack}>
        {t('Choose another time')}
      </Button>
    </DialogForm>
  );
}

function EntryLine({ entry: { key, change, why }, prefix }: { readonly entry: RestoreEntry; readonly prefix: string }) {
  const label = { restore: t('comes back'), delete: t('is deleted'), leave: t('stays') }[change];
  return (
    <Group component="li" gap="xs" style={{ overflowWrap: 'anywhere' }}>
      <Badge size="sm" variant="light" {...(change === 'delete' && { color: 'red' })} tt="none">
        {label}
      </Badge>
      <Text span size="sm">
        <Name>{key.slice(prefix.length)}</Name>
      </Text>
      {change === 'leave' && (
        <Text span size="sm" c="dimmed">
          {whyText(why)}
        </Text>
      )}
    </Group>
  );
}

/** A time in the form of a field for local times. @param time - milliseconds since the epoch. */
function localText(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 19);
}
