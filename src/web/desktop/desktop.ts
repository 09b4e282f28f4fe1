import { ApiError } from '../api/api-error.ts';
import { inSentence } from '../names/visible.ts';
import { t } from '../words/words.ts';
import type { Task } from '../work/task-board.ts';
import { sayDownloaded } from './downloaded.tsx';
import type { NativeUploads } from './native-uploads.ts';
import type { NativeWatches } from './native-watches.ts';

type ObjectRef = { readonly provider: string; readonly bucket: string; readonly key: string };
type DownloadStatus = {
  readonly id: number;
  readonly name: string;
  readonly state: 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';
  readonly bytes: number;
  readonly size: number;
  readonly message: string | null;
  readonly mayBeOpened: boolean;
};

/** The methods that the desktop application offers to its page (`src/desktop/native-methods.ts`). */
export type SvcDesktop = NativeUploads &
  NativeWatches & {
    readonly download: (object: ObjectRef) => Promise<DownloadStatus>;
    /** Downloads to a path that the user chooses in a save dialog; null if the user closes it. Undefined if the system has no save dialog. */
    readonly downloadAs?: (object: ObjectRef) => Promise<DownloadStatus | null>;
    readonly open: (download: { readonly id: number }) => Promise<unknown>;
    /** Signs out of all other servers. @returns the servers that did not confirm it. */
    readonly signOutOthers: () => Promise<string[]>;
    /** The downloads that an earlier page or an earlier run of the application started. */
    readonly unfinishedDownloads: () => Promise<DownloadStatus[]>;
    readonly downloadStatus: (download: { readonly id: number }) => Promise<DownloadStatus | null>;
    readonly reveal: (download: { readonly id: number }) => Promise<unknown>;
    readonly cancelDownload: (download: { readonly id: number }) => Promise<void>;
  };

/** The desktop application, or undefined in a browser. */
export const desktop = (window as { readonly svcDesktop?: SvcDesktop }).svcDesktop;

/** Starts a download by the desktop application. It resumes after a lost connection and after a restart of the application. */
export async function downloadByDesktop(native: SvcDesktop, object: ObjectRef): Promise<Task> {
  return downloadTask(native, await native.download(object));
}

/** Starts a download by the desktop application to a path that the user chooses. Undefined if the user closes the dialog. */
export async function downloadByDesktopAs(native: SvcDesktop, object: ObjectRef): Promise<Task | undefined> {
  const begun = await native.downloadAs?.(object);
  return begun ? downloadTask(native, begun) : undefined;
}

/** A task that follows a download of the desktop application. */
export function downloadTask(
  { downloadStatus, cancelDownload, reveal, open }: SvcDesktop,
  { id, name, mayBeOpened }: Pick<DownloadStatus, 'id' | 'name' | 'mayBeOpened'>,
): Task {
  return {
    title: t('Downloading {name}', { name: inSentence(name) }),
    doneTitle: t('Downloaded {name}', { name: inSentence(name) }),
    unit: 'bytes',
    work: async (task) => {
      task.signal.addEventListener('abort', () => void cancelDownload({ id }), { once: true });
      while (!task.signal.aborted) {
        const status = await downloadStatus({ id });
        if (status?.state === 'done') {
          sayDownloaded(name, { reveal: () => reveal({ id }), open: mayBeOpened ? () => open({ id }) : undefined });
          return;
        }
        if (status === null || status.state === 'failed')
          throw new ApiError('unexpected_answer', status?.message ?? '');
        task.progress(status.bytes, status.size);
      }
    },
  };
}
