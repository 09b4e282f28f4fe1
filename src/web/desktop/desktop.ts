import { ApiError } from '../api/api-error.ts';
import { inSentence } from '../names/visible.ts';
import { t } from '../words/words.ts';
import type { Task, TaskHandle } from '../work/task-board.ts';

type ObjectRef = { readonly provider: string; readonly bucket: string; readonly key: string };
type DownloadStatus = { readonly id: number; readonly name: string; readonly state: 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'; readonly bytes: number; readonly size: number; readonly message: string | null };

/** What the desktop application offers to its page (`src/desktop/native-methods.ts`). */
type SvcDesktop = {
  readonly download: (object: ObjectRef) => Promise<DownloadStatus>;
  readonly downloadStatus: (download: { readonly id: number }) => Promise<DownloadStatus | null>;
  readonly cancelDownload: (download: { readonly id: number }) => Promise<void>;
};

/** Undefined in a browser. */
export const desktop = (window as { readonly svcDesktop?: SvcDesktop }).svcDesktop;

/** A download by the application: it goes on after a lost connection, and when the application is started again. */
export async function downloadByDesktop({ download, downloadStatus, cancelDownload }: SvcDesktop, object: ObjectRef): Promise<Task> {
  const { id, name } = await download(object);
  const watch = async (task: TaskHandle): Promise<void> => {
    for (;;) {
      const status = await downloadStatus({ id });
      if (status === null || status.state === 'done' || task.signal.aborted) return;
      task.progress(status.bytes, status.size);
      if (status.state === 'waiting') throw new ApiError('session_required', status.message ?? '');
      if (status.state !== 'running') throw new ApiError('unexpected_answer', status.message ?? '');
    }
  };
  return {
    title: t('Downloading {name}', { name: inSentence(name) }),
    unit: 'bytes',
    work: async (task) => {
      task.signal.addEventListener('abort', () => void cancelDownload({ id }), { once: true });
      await task.attempt(() => watch(task));
    },
  };
}
