import { formatBytes } from '../../format/byte-size.ts';
import { formatDuration } from '../format/format.ts';
import { plural, t } from '../words/words.ts';
import { isComplete, type TaskView } from '../work/task-board.ts';
import type { QueueView } from '../work/view.ts';

export type Headline = { readonly title: string; readonly detail: string };

const STATES: Readonly<Record<TaskView['state'], string>> = {
  running: t('running'),
  held: t('waiting'),
  done: t('done'),
  cancelled: t('cancelled'),
  failed: t('failed'),
};

/** The title of the tray, and a second line with the progress. */
export function headlineOf(queue: QueueView, tasks: readonly TaskView[], interrupted: number): Headline {
  const { counts, open, uploads } = queue;
  const running = tasks.filter(({ state }) => state === 'running' || state === 'held');
  if (open > 0) {
    const title = queue.held
      ? t('Uploads are waiting for you to sign in')
      : queue.moving === 0
        ? t('Uploads are paused')
        : queue.moving === queue.counts.asking
          ? t('Uploads are waiting for your answer')
          : t('Uploading {files}', { files: files(open) });
    return { title, detail: progressOf(queue) };
  }
  if (running.length > 0)
    return {
      title: running[0]!.title,
      detail: running.length > 1 ? t('and {count} more', { count: running.length - 1 }) : '',
    };
  if (uploads.length > 0) {
    const rest = [
      counts.failed > 0 ? t('{count} failed', { count: counts.failed }) : '',
      counts.skipped > 0 ? t('{count} skipped', { count: counts.skipped }) : '',
      counts.cancelled > 0 ? t('{count} cancelled', { count: counts.cancelled }) : '',
    ];
    return {
      title: counts.stored > 0 ? t('Uploaded {files}', { files: files(counts.stored) }) : t('Nothing was uploaded'),
      detail: rest.filter((text) => text !== '').join(' · '),
    };
  }
  if (tasks.length > 0) return { title: tasks.some(hasFailed) ? t('Finished with errors') : t('Finished'), detail: '' };
  return { title: plural(interrupted, '{count} interrupted upload', '{count} interrupted uploads'), detail: '' };
}

/** The status for screen readers. It changes when a transfer starts or ends, not with the progress. */
export function spokenSummary(queue: QueueView, tasks: readonly TaskView[]): string {
  const { counts } = queue;
  const parts = [
    queue.held ? t('Uploads are waiting for you to sign in.') : '',
    queue.open > 0 ? t('{files} to upload.', { files: files(queue.open) }) : '',
    counts.stored > 0 ? t('{files} uploaded.', { files: files(counts.stored) }) : '',
    counts.failed > 0 ? t('{files} failed.', { files: files(counts.failed) }) : '',
    ...tasks.map((task) =>
      isComplete(task)
        ? `${task.title}.`
        : `${task.title}: ${hasFailed(task) ? t('finished with errors') : STATES[task.state]}.`,
    ),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

export function percentOf({ sentBytes, bytes }: { readonly sentBytes: number; readonly bytes: number }): number {
  return bytes === 0 ? 100 : Math.min(100, Math.floor((sentBytes / bytes) * 100));
}

export function hasFailed(task: TaskView): boolean {
  return task.state === 'failed' || task.failures > 0;
}

function progressOf(queue: QueueView): string {
  const parts = [t('{done} of {total}', { done: formatBytes(queue.sentBytes), total: formatBytes(queue.bytes) })];
  if (queue.bytesPerSecond > 0 && queue.counts.sending > 0) parts.push(`${formatBytes(queue.bytesPerSecond)}/s`);
  if (queue.secondsLeft !== undefined) parts.push(t('{time} left', { time: formatDuration(queue.secondsLeft) }));
  return parts.join(' · ');
}

function files(count: number): string {
  return plural(count, '{count} file', '{count} files');
}
