import { formatBytes } from '../../transfer/byte-size.ts';
import { formatDuration, formatNumber } from '../format/format.ts';
import type { TaskView } from '../work/task-board.ts';
import type { QueueView } from '../work/view.ts';

export type Headline = { readonly title: string; readonly detail: string };

/** The one or two lines that tell how all the work stands. */
export function headlineOf(queue: QueueView, tasks: readonly TaskView[], interrupted: number): Headline {
  const { counts, open, uploads } = queue;
  const running = tasks.filter(({ state }) => state === 'running' || state === 'held');
  if (open > 0) {
    const title = queue.held ? 'Uploads wait for you to sign in' : queue.moving === 0 ? 'Uploads are paused' : queue.moving === queue.counts.asking ? 'Uploads wait for your answer' : `Uploading ${files(open)}`;
    return { title, detail: progressOf(queue) };
  }
  if (running.length > 0) return { title: running[0]!.title, detail: running.length > 1 ? `and ${formatNumber(running.length - 1)} more` : '' };
  if (uploads.length > 0) {
    const rest = [
      counts.failed > 0 ? `${formatNumber(counts.failed)} failed` : '',
      counts.skipped > 0 ? `${formatNumber(counts.skipped)} skipped` : '',
      counts.cancelled > 0 ? `${formatNumber(counts.cancelled)} cancelled` : '',
    ];
    return { title: counts.stored > 0 ? `Uploaded ${files(counts.stored)}` : 'Nothing was uploaded', detail: rest.filter((text) => text !== '').join(' · ') };
  }
  if (tasks.length > 0) return { title: tasks.some(hasFailed) ? 'Finished with errors' : 'Finished', detail: '' };
  return { title: interrupted === 1 ? '1 interrupted upload' : `${formatNumber(interrupted)} interrupted uploads`, detail: '' };
}

/** What a screen reader says: it changes when something begins or ends, not with every byte. */
export function spokenSummary(queue: QueueView, tasks: readonly TaskView[]): string {
  const { counts } = queue;
  const parts = [
    queue.held ? 'Uploads wait for you to sign in.' : '',
    queue.open > 0 ? `${files(queue.open)} to upload.` : '',
    counts.stored > 0 ? `${files(counts.stored)} uploaded.` : '',
    counts.failed > 0 ? `${files(counts.failed)} failed.` : '',
    ...tasks.map((task) => `${task.title}: ${hasFailed(task) ? 'finished with errors' : task.state}.`),
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
  const parts = [`${formatBytes(queue.sentBytes)} of ${formatBytes(queue.bytes)}`];
  if (queue.bytesPerSecond > 0 && queue.counts.sending > 0) parts.push(`${formatBytes(queue.bytesPerSecond)}/s`);
  if (queue.secondsLeft !== undefined) parts.push(`${formatDuration(queue.secondsLeft)} left`);
  return parts.join(' · ');
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${formatNumber(count)} files`;
}
