import { Progress, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconChevronDown, IconChevronRight, IconFiles } from '@tabler/icons-react';
import { formatBytes } from '../../transfer/byte-size.ts';
import { inSentence } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import type { Batch } from './batches.ts';
import { percentOf } from './summary.ts';
import styles from './tray.module.css';

/** Files that were dropped or chosen together, in one line. */
export function BatchRow({ batch, isOpen, onToggle }: { batch: Batch; isOpen: boolean; onToggle: () => void }) {
  const { uploads, folder, over, failed } = batch;
  const where = folder === '' ? (uploads[0]?.target.bucket ?? '') : baseName(folder);
  const title = plural(uploads.length, '{count} file to {place}', '{count} files to {place}', { place: inSentence(where) });
  const isOver = over === uploads.length;
  return (
    <UnstyledButton className={styles['batch']} onClick={onToggle} aria-expanded={isOpen}>
      {failed > 0 ? <IconAlertTriangle size={18} color="var(--mantine-color-error)" aria-hidden /> : isOver ? <IconCheck size={18} color="var(--svc-accent)" aria-hidden /> : <IconFiles size={18} color="var(--mantine-color-dimmed)" aria-hidden />}
      <span className={styles['what']}>
        <Text size="sm" fw={500} truncate component="div" title={title}>
          {title}
        </Text>
        {!isOver && <Progress value={percentOf({ sentBytes: batch.sentBytes, bytes: batch.bytes || 1 })} size={3} my={2} aria-label={t('{name} uploaded', { name: title })} />}
        <Text size="xs" c={failed > 0 ? 'red' : 'dimmed'} className="tabular" truncate component="div">
          {statusOf(batch)}
        </Text>
      </span>
      {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
    </UnstyledButton>
  );
}

function statusOf({ uploads, bytes, sentBytes, over, failed }: Batch): string {
  const failures = failed > 0 ? ` · ${t('{count} failed', { count: failed })}` : '';
  if (over === uploads.length) return `${formatBytes(sentBytes)}${failures}`;
  return `${t('{done} of {total}', { done: over, total: uploads.length })} · ${t('{done} of {total}', { done: formatBytes(sentBytes), total: formatBytes(bytes) })}${failures}`;
}
