import { ActionIcon, Progress, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleMinus,
  IconFileUpload,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import { formatBytes } from '../../format/byte-size.ts';
import { explainFailure, explainWaiting } from '../api/explain-failure.ts';
import { Name } from '../names/name.tsx';
import { inSentence, visibleText } from '../names/visible.ts';
import { folderOf, placeLink } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { UploadState, UploadView } from '../work/view.ts';
import { uploads as queue } from '../work/work.ts';
import { BatchRow } from './batch-row.tsx';
import { batchesOf, linesOf } from './batches.ts';
import { percentOf } from './summary.ts';
import styles from './tray.module.css';

const ROW_PX = 58;
const MOST_PX = 290;

/** The uploads grouped by batch. Only the visible lines are rendered, because a folder may contain tens of thousands of files. */
export function UploadRows({ uploads, held }: { uploads: readonly UploadView[]; held: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [choices, setChoices] = useState<ReadonlyMap<number, boolean>>(new Map());
  const lines = useMemo(() => linesOf(batchesOf(uploads), choices), [uploads, choices]);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 4,
  });
  if (uploads.length === 0) return null;
  return (
    <div
      ref={scroller}
      style={{ maxHeight: MOST_PX, overflow: 'auto' }}
      tabIndex={0}
      role="group"
      aria-label={t('Uploads')}
    >
      <ul className={styles['rows']} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          return (
            line && (
              <li
                ref={rows.measureElement}
                data-index={index}
                key={line.kind === 'batch' ? `batch ${line.batch.id}` : line.upload.id}
                className={styles['row']}
                data-in-batch={(line.kind === 'file' && line.isInBatch) || undefined}
                style={{ minHeight: ROW_PX, transform: `translateY(${start}px)` }}
                aria-setsize={lines.length}
                aria-posinset={index + 1}
              >
                {line.kind === 'batch' ? (
                  <BatchRow
                    batch={line.batch}
                    isOpen={line.isOpen}
                    onToggle={() => setChoices(new Map(choices).set(line.batch.id, !line.isOpen))}
                  />
                ) : (
                  <UploadRow upload={line.upload} held={held} />
                )}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function UploadRow({ upload, held }: { upload: UploadView; held: boolean }) {
  const { id, state } = upload;
  const name = visibleText(upload.name);
  const isMoving = state === 'waiting' || state === 'sending' || state === 'retrying' || state === 'asking';
  const isOver = state === 'stored' || state === 'skipped' || state === 'cancelled';
  const isExplained = state === 'retrying' || state === 'failed';
  const status = statusOf(upload, held);
  return (
    <>
      <StateIcon state={state} />
      <div className={styles['what']}>
        <Text size="sm" truncate title={visibleText(upload.target.key)} component="div">
          {state === 'stored' ? (
            <Link
              to={placeLink({ ...upload.target, prefix: folderOf(upload.target.key) }, upload.target.key)}
              className={styles['link']}
            >
              <Name cut>{upload.name}</Name>
            </Link>
          ) : (
            <Name cut>{upload.name}</Name>
          )}
        </Text>
        {!isOver && (
          <Progress
            value={percentOf({ sentBytes: upload.sentBytes, bytes: upload.bytes || 1 })}
            size={3}
            my={2}
            color={colorOf(upload)}
            aria-label={t('{name} uploaded', { name })}
          />
        )}
        <Text
          size="xs"
          c={state === 'failed' ? 'red' : 'dimmed'}
          className="tabular"
          truncate={!isExplained}
          title={status}
        >
          {status}
        </Text>
      </div>
      {isMoving && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Pause {name}', { name })}
          onClick={() => queue.pause(id)}
        >
          <IconPlayerPause size={16} />
        </ActionIcon>
      )}
      {state === 'paused' && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Resume {name}', { name })}
          onClick={() => queue.resume(id)}
        >
          <IconPlayerPlay size={16} />
        </ActionIcon>
      )}
      {state === 'failed' && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Try {name} again', { name })}
          onClick={() => queue.resume(id)}
        >
          <IconRefresh size={16} />
        </ActionIcon>
      )}
      {!isOver && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Cancel {name}', { name })}
          onClick={() => queue.cancel(id)}
        >
          <IconX size={16} />
        </ActionIcon>
      )}
    </>
  );
}

function StateIcon({ state }: { state: UploadState }) {
  if (state === 'stored') return <IconCheck size={18} color="var(--svc-accent)" aria-hidden />;
  if (state === 'failed') return <IconAlertTriangle size={18} color="var(--mantine-color-error)" aria-hidden />;
  if (state === 'skipped' || state === 'cancelled')
    return <IconCircleMinus size={18} color="var(--mantine-color-dimmed)" aria-hidden />;
  return <IconFileUpload size={18} color="var(--mantine-color-dimmed)" aria-hidden />;
}

function colorOf({ state }: UploadView): string {
  return state === 'failed' ? 'red' : state === 'paused' || state === 'retrying' ? 'orange' : 'lagoon';
}

function statusOf(upload: UploadView, held: boolean): string {
  const { state, failure, bytes, sentBytes, bytesPerSecond, target } = upload;
  const sent = t('{done} of {total}', { done: formatBytes(sentBytes), total: formatBytes(bytes) });
  switch (state) {
    case 'waiting':
      return held
        ? t('Waiting for you to sign in · {amount}', { amount: sent })
        : t('Waiting · {size}', { size: formatBytes(bytes) });
    case 'sending':
      if (bytes > 0 && sentBytes === bytes) return t('Finishing · {size}', { size: formatBytes(bytes) });
      return bytesPerSecond > 0 ? `${sent} · ${formatBytes(bytesPerSecond)}/s` : sent;
    case 'retrying':
      return failure ? explainWaiting(failure) : t('Trying again · {why}', { why: sent });
    case 'asking':
      return t('File already exists');
    case 'paused':
      return t('Paused · {sent}', { sent });
    case 'failed':
      return failure ? explainFailure(failure) : t('Failed');
    case 'stored':
      return t('{size} · in {folder}', {
        size: formatBytes(bytes),
        folder: inSentence(`${target.bucket}/${folderOf(target.key)}`),
      });
    case 'skipped':
      return t('Skipped: the file already exists');
    case 'cancelled':
      return t('Cancelled');
  }
}
