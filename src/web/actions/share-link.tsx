import { Alert, Button, CopyButton, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck, IconCopy, IconLink } from '@tabler/icons-react';
import { useState } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import type { PresignResult } from '../../wire/http.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { formatDuration, formatExactTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import type { FileEntry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import type { Selection } from './action.ts';
import { copyText } from '../clipboard/clipboard.ts';
import { openDialog } from './dialog.tsx';
import { presign } from '../api/object-calls.ts';

const HOUR = 3_600;
const LIFETIMES = [HOUR / 4, HOUR, 8 * HOUR, 24 * HOUR, 7 * 24 * HOUR];
const SLACK_SECONDS = 60;

export function openShareLink({ place, entries }: Selection): void {
  const [entry] = entries;
  if (entry?.kind === 'file') openDialog(t('Share link'), () => <ShareLink place={place} entry={entry} />);
}

type Made = { readonly link: PresignResult; readonly isCopied: boolean; readonly isShort: boolean };

/** The dialog that creates a link that works without signing in, copies it, and shows when it expires. */
function ShareLink({ place, entry }: { place: Place; entry: FileEntry }) {
  const [seconds, setSeconds] = useState(HOUR);
  const [working, setWorking] = useState(false);
  const [made, setMade] = useState<Made>();
  const [problem, setProblem] = useState<string>();

  async function make(): Promise<void> {
    setWorking(true);
    setProblem(undefined);
    try {
      const link = await presign({ ...place, key: entry.key }, seconds);
      const isShort = Date.parse(link.expires_at) < Date.now() + (seconds - SLACK_SECONDS) * 1_000;
      setMade({ link, isShort, isCopied: await copyText(link.url) });
    } catch (thrown) {
      setMade(undefined);
      setProblem(explainFailure(failureOf(thrown)));
    }
    setWorking(false);
  }

  return (
    <Stack gap="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {rich('Anyone with the link can download {name} without signing in, until the link expires.', {
          name: (
            <strong>
              <Name>{entry.name}</Name>
            </strong>
          ),
        })}
      </Text>
      <Group align="flex-end" gap="sm" wrap="nowrap">
        <Select
          flex={1}
          label={t('Expires after')}
          data={LIFETIMES.map((lifetime) => ({ value: String(lifetime), label: formatDuration(lifetime, 'long') }))}
          value={String(seconds)}
          allowDeselect={false}
          onChange={(value) => setSeconds(Number(value))}
        />
        <Button data-autofocus leftSection={<IconLink size={18} />} loading={working} onClick={() => void make()}>
          {t('Create and copy')}
        </Button>
      </Group>
      {problem !== undefined && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <div aria-live="polite">{made && <MadeLink made={made} />}</div>
    </Stack>
  );
}

function MadeLink({ made: { link, isCopied, isShort } }: { made: Made }) {
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm" wrap="nowrap">
        <TextInput
          flex={1}
          label={t('Link')}
          readOnly
          value={link.url}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton value={link.url}>
          {({ copied, copy: copyAgain }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={18} /> : <IconCopy size={18} />}
              onClick={copyAgain}
            >
              {copied ? t('Copied') : t('Copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm">
        {isCopied ? t('Copied to the clipboard.') : t('Select the link to copy it.')}{' '}
        {rich('It expires on {time}.', { time: <strong>{formatExactTime(link.expires_at)}</strong> })}
      </Text>
      {isShort && (
        <Text size="sm" c="dimmed">
          {t('This is earlier than requested, because the service’s own storage credentials expire then.')}
        </Text>
      )}
    </Stack>
  );
}
