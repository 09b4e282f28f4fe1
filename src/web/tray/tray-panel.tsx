import { ActionIcon, Group, Paper, Progress, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useRef, useState, useEffect, type RefObject } from 'react';
import { useStore } from 'zustand';
import { useProgressInTitle } from '../brand/page-title.ts';
import { t } from '../words/words.ts';
import type { RememberedUpload } from '../work/remembered.ts';
import { interruptedAsked, remembered, tasks, uploads } from '../work/work.ts';
import { InterruptedUploads } from './interrupted-uploads.tsx';
import { headlineOf, percentOf, spokenSummary } from './summary.ts';
import { TaskRow } from './task-row.tsx';
import { TellWhenDone } from './tell-when-done.tsx';
import styles from './tray.module.css';
import { UploadRows } from './upload-rows.tsx';

const HEIGHT = '--svc-tray-height';

/** The panel of running and finished transfers. It can be collapsed, and screen readers announce changes. */
export function TrayPanel() {
  const queue = useStore(uploads.view);
  const work = useStore(tasks.view);
  const [open, setOpen] = useState(true);
  const panel = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState<readonly RememberedUpload[]>(() => remembered.list());
  useEffect(
    () =>
      interruptedAsked.subscribe(() => {
        setFound(remembered.list());
        setOpen(true);
      }),
    [],
  );
  const interrupted = stillRemembered(found);
  const isEmpty = queue.uploads.length === 0 && work.length === 0 && interrupted.length === 0;
  useRoomFor(panel, !isEmpty);
  const running = work.filter(({ state }) => state === 'running' || state === 'held').length;
  const percent = percentOf(queue);
  useProgressInTitle(queue.moving > 0 ? percent : undefined);
  const isOver = queue.open === 0 && running === 0;
  const headline = headlineOf(queue, work, interrupted.length);

  if (isEmpty) return null;
  return (
    <Paper
      component="section"
      ref={panel}
      aria-label={t('Transfers')}
      className={styles['tray']}
      shadow="lg"
      withBorder
    >
      <VisuallyHidden aria-live="polite" role="status">
        {spokenSummary(queue, work)}
      </VisuallyHidden>
      <Group gap={4} px="sm" py={8} wrap="nowrap" className={styles['head']}>
        <UnstyledButton
          className={styles['title']}
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          aria-controls="transfers-list"
        >
          <Text fw={600} size="sm" truncate>
            {headline.title}
          </Text>
          {headline.detail !== '' && (
            <Text size="xs" c="dimmed" className="tabular" truncate>
              {headline.detail}
            </Text>
          )}
        </UnstyledButton>
        {queue.moving > 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Pause all uploads')}
            onClick={() => uploads.pauseAll()}
          >
            <IconPlayerPause size={18} />
          </ActionIcon>
        )}
        {queue.counts.paused > 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Resume all uploads')}
            onClick={() => uploads.resumeAll()}
          >
            <IconPlayerPlay size={18} />
          </ActionIcon>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={open ? t('Collapse transfers') : t('Expand transfers')}
          onClick={() => setOpen(!open)}
        >
          {open ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
        </ActionIcon>
        {isOver && (
          <ActionIcon variant="subtle" color="gray" aria-label={t('Close transfers')} onClick={close}>
            <IconX size={18} />
          </ActionIcon>
        )}
      </Group>
      {queue.open > 0 && (
        <Progress value={percent} size={4} radius={0} aria-label={t('Uploaded {percent} percent', { percent })} />
      )}
      <TellWhenDone isOver={isOver} notice={headline} />
      {open && (
        <div id="transfers-list" className={styles['list']}>
          {work.map((task) => (
            <TaskRow key={task.id} task={task} />
          ))}
          <InterruptedUploads interrupted={interrupted} queue={queue} onChange={setFound} />
          <UploadRows uploads={queue.uploads} held={queue.held} />
        </div>
      )}
    </Paper>
  );

  function close(): void {
    uploads.clearFinished();
    tasks.clearFinished();
    setFound([]);
  }
}

/** The uploads that have not finished since they were found. This runs with every step of a transfer, so storage is read only for what was found. */
function stillRemembered(found: readonly RememberedUpload[]): readonly RememberedUpload[] {
  if (found.length === 0) return found;
  const ids = new Set(remembered.list().map(({ uploadId }) => uploadId));
  return found.filter(({ uploadId }) => ids.has(uploadId));
}

/** Stores the height of an element that covers the page in a CSS variable, so that the page can leave room for it. */
function useRoomFor(part: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    const { current } = part;
    if (!isShown || current === null) return;
    const { style } = document.documentElement;
    const sizes = new ResizeObserver(() => style.setProperty(HEIGHT, `${current.offsetHeight}px`));
    sizes.observe(current);
    return () => {
      sizes.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, [part, isShown]);
}
