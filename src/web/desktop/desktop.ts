import { ApiError } from '../api/api-error.ts';
import { inSentence } from '../names/visible.ts';
import { t } from '../words/words.ts';
import type { Task } from '../work/task-board.ts';
import { sayDownloaded } from './downloaded.tsx';
import type { NativeUploads } from './native-uploads.ts';
import type { NativeWatches } from './native-watches.ts';

type ObjectRef = { readonly provider: string; readonly bucket: string; readonly key: string };
type DownloadStatus = { readonly id: number; readonly name: string; readonly state: 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'; readonly bytes: number; readonly size: number; readonly message: string | null; readonly mayBeOpened: boolean };

/** What the desktop application offers to its page (`src/desktop/native-methods.ts`). */
export type SvcDesktop = NativeUploads & NativeWatches & {
  readonly download: (object: ObjectRef) => Promise<DownloadStatus>;
  /** Asks first where the file is to be; null when the person closes the dialog. Missing where the system has none. */
  readonly downloadAs?: (object: ObjectRef) => Promise<DownloadStatus | null>;
  readonly open: (download: { readonly id: number }) => Promise<unknown>;
  /** Gives the servers that did not confirm it. */
  readonly signOutOthers: () => Promise<string[]>;
  /** Those that an earlier page began, or an earlier run of the application. */
  readonly unfinishedDownloads: () => Promise<DownloadStatus[]>;
  readonly downloadStatus: (download: { readonly id: number }) => Promise<DownloadStatus | null>;
  readonly reveal: (download: { readonly id: number }) => Promise<unknown>;
  readonly cancelDownload: (download: { readonly id: number }) => Promise<void>;
};

/** Undefined in a browser. */
export const desktop = (window as { readonly svcDesktop?: SvcDesktop }).svcDesktop;

/** A download by the application: it goes on after a lost connection, and when the application is started again. */
export async function downloadByDesktop(native: SvcDesktop, object: ObjectRef): Promise<Task> {
  return downloadTask(native, await native.download(object));
}

/** The same, to a place that the person is asked for. Undefined when they close the dialog. */
export async function downloadByDesktopAs(native: SvcDesktop, object: ObjectRef): Promise<Task | undefined> {
  const begun = await native.downloadAs?.(object);
  return begun ? downloadTask(native, begun) : undefined;
}

/** Watches a download of the application. */
export function downloadTask({ downloadStatus, cancelDownload, reveal, open }: SvcDesktop, { id, name, mayBeOpened }: Pick<DownloadStatus, 'id' | 'name' | 'mayBeOpened'>): Task {
  return {
    title: t('Downloading {name}', { name: inSentence(name) }),
    unit: 'bytes',
    work: async (task) => {
      task.signal.addEventListener('abort', () => void cancelDownload({ id }), { once: true });
      while (!task.signal.aborted) {
        const status = await downloadStatus({ id });
        if (status?.state === 'done') {
          sayDownloaded(name, { reveal: () => reveal({ id }), open: mayBeOpened ? () => open({ id }) : undefined });
          return;
        }
        if (status === null || status.state === 'failed') throw new ApiError('unexpected_answer', status?.message ?? '');
        task.progress(status.bytes, status.size);
      }
    },
  };
}
