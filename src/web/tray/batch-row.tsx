import { ActionIcon, Progress, Text, UnstyledButton } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconChevronDown,
  IconChevronRight,
  IconCircleMinus,
  IconFiles,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react';
import { formatBytes } from '../../format/byte-size.ts';
import { formatDuration } from '../format/format.ts';
import { inSentence } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import { uploads as queue } from '../work/work.ts';
import type { Batch } from './batches.ts';
import { percentOf } from './summary.ts';
import styles from './tray.module.css';

/** One line for the files that were dropped or chosen together, with buttons that act on all of them. */
export function BatchRow({ batch, isOpen, onToggle }: { batch: Batch; isOpen: boolean; onToggle: () => void }) {
  const { id, uploads, folder, over, failed, paused } = batch;
  const where = folder === '' ? (uploads[0]?.target.bucket ?? '') : baseName(folder);
  const title = plural(uploads.length, '{count} file to {place}', '{count} files to {place}', {
    place: inSentence(where),
  });
  const isOver = over === uploads.length;
  return (
    <>
      <UnstyledButton className={styles['batch']} onClick={onToggle} aria-expanded={isOpen}>
        <BatchIcon batch={batch} />
        <span className={styles['what']}>
          <Text size="sm" fw={500} truncate component="div" title={title}>
            {title}
          </Text>
          {!isOver && (
            <Progress
              value={percentOf({ sentBytes: batch.sentBytes, bytes: batch.bytes || 1 })}
              size={3}
              my={2}
              aria-label={t('{name} uploaded', { name: title })}
            />
          )}
          <Text size="xs" c={failed > 0 ? 'red' : 'dimmed'} className="tabular" truncate component="div">
            {statusOf(batch)}
          </Text>
        </span>
        {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
      </UnstyledButton>
      {over + paused < uploads.length && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Pause {name}', { name: title })}
          onClick={() => queue.pauseAll(id)}
        >
          <IconPlayerPause size={16} />
        </ActionIcon>
      )}
      {paused > 0 && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Resume {name}', { name: title })}
          onClick={() => queue.resumeAll(id)}
        >
          <IconPlayerPlay size={16} />
        </ActionIcon>
      )}
      {!isOver && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Cancel {name}', { name: title })}
          onClick={() => queue.cancelAll(id)}
        >
          <IconX size={16} />
        </ActionIcon>
      )}
    </>
  );
}

function BatchIcon({ batch: { uploads, over, failed, stored } }: { batch: Batch }) {
  if (failed > 0) return <IconAlertTriangle size={18} color="var(--mantine-color-error)" aria-hidden />;
  if (over < uploads.length) return <IconFiles size={18} color="var(--mantine-color-dimmed)" aria-hidden />;
  if (stored === 0) return <IconCircleMinus size={18} color="var(--mantine-color-dimmed)" aria-hidden />;
  return <IconCheck size={18} color="var(--svc-accent)" aria-hidden />;
}

function statusOf({ uploads, bytes, sentBytes, secondsLeft, over, failed, stored, paused }: Batch): string {
  const failures = failed > 0 ? ` · ${t('{count} failed', { count: failed })}` : '';
  if (over === uploads.length) {
    if (stored + failed === 0)
      return uploads.some(({ state }) => state === 'cancelled')
        ? t('Cancelled')
        : t('Skipped: the files already exist');
    const left = uploads.length - stored - failed;
    return `${formatBytes(sentBytes)}${failures}${left > 0 ? ` · ${t('{count} not uploaded', { count: left })}` : ''}`;
  }
  const time = secondsLeft === undefined ? '' : ` · ${t('{time} left', { time: formatDuration(secondsLeft) })}`;
  const sent = `${t('{done} of {total}', { done: over - failed, total: uploads.length })} · ${t('{done} of {total}', { done: formatBytes(sentBytes), total: formatBytes(bytes) })}${time}${failures}`;
  return over + paused === uploads.length ? t('Paused · {sent}', { sent }) : sent;
}
