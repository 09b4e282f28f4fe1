import type { Target } from '../transfer/transport.ts';
import type { Account } from './account.ts';
import type { Downloads } from './downloads.ts';
import type { Params } from './protocol.ts';
import { isOpenable } from './openable.ts';
import { reveal } from './reveal.ts';
import type { FolderDialog, SaveDialog } from './save-dialog.ts';
import type { Uploads } from './uploads.ts';
import type { Watches } from './watches.ts';
import type { PageMethod } from './window.ts';

export type NativeParts = {
  readonly account: Account;
  readonly downloads: Downloads;
  readonly uploads: Uploads;
  readonly watches: Watches;
  /** Undefined when the system has none. */
  readonly saveDialog: SaveDialog | undefined;
  readonly folderDialog: FolderDialog | undefined;
  /** The title of the folder dialog. */
  readonly watchTitle: (target: Target) => string;
  readonly signOutOthers: () => Promise<string[]>;
  readonly notify: (title: string, body: string) => Promise<void>;
  /** Opens an address or a folder with the system's program for it. */
  readonly openOutside: (address: string) => void;
};

/** The methods of `window.svcDesktop` in the page. They name objects, downloads and uploads, and never a path of this computer. */
export function nativeMethods({
  account,
  downloads,
  uploads,
  watches,
  saveDialog,
  folderDialog,
  watchTitle,
  signOutOthers,
  notify,
  openOutside,
}: NativeParts): Readonly<Record<string, PageMethod>> {
  return {
    /** The signed-in person; null when nobody is signed in. */
    principal: () => Promise.resolve(account.principal),
    /** Downloads an object into the person's folder. */
    download: async (params) => downloads.begin(targetOf(params)),
    /** Asks for the target file first; null when the person closes the dialog. */
    ...(saveDialog !== undefined && {
      downloadAs: async (params: Params) => downloads.beginAs(targetOf(params), saveDialog),
    }),
    unfinishedDownloads: () => downloads.unfinished(),
    /** The state of a download. While it runs, the answer comes after a short wait. */
    downloadStatus: async ({ id }) => downloads.status(Number(id)),
    cancelDownload: async ({ id }) => downloads.cancel(Number(id)),
    /** Shows a finished download in the file manager. */
    reveal: async ({ id }) => {
      const file = downloads.fileOf(Number(id));
      if (file === undefined) throw new Error('this download has no file');
      await reveal(file, openOutside);
    },
    /** Opens a finished download with the system's program for it, if that program does not execute it. */
    open: ({ id }) => {
      const file = downloads.fileOf(Number(id));
      if (file === undefined || !isOpenable(file)) throw new Error('this file is not opened from here');
      openOutside(file);
      return Promise.resolve();
    },
    /** Signs out of every other account of the application. Returns the servers that did not confirm it. */
    signOutOthers,
    /** Takes files and folders that a person dropped or chose, as `files`. For anything that is no file of this computer, the answer is null. */
    takeFiles: async (_params, filePaths) => uploads.take(await filePaths()),
    /** Sets their targets. */
    planUploads: async ({ uploads: planned }) =>
      uploads.plan((planned as readonly Params[]).map((one) => [Number(one['id']), targetOf(one)])),
    unfinishedUploads: () => Promise.resolve(uploads.unfinished()),
    /** Answers when the upload is over: with a failure, or null when the file is stored. */
    sendUpload: async (params) =>
      uploads.send(Number(params['id']), targetOf(params), params['whenTaken'] === 'replace' ? 'replace' : 'refuse'),
    uploadProgress: ({ id }) => Promise.resolve(uploads.progress(Number(id))),
    pauseUpload: async ({ id }) => uploads.pause(Number(id)),
    giveUpUpload: async ({ id }) => uploads.giveUp(Number(id)),
    /** Asks for a folder, and from then on uploads new files in it; null when the person closes the dialog. */
    ...(folderDialog !== undefined && {
      watchFolder: async (params: Params) =>
        watches.beginAs(targetOf(params), watchTitle(targetOf(params)), folderDialog),
    }),
    watchedFolders: () => Promise.resolve(watches.list()),
    stopWatching: async ({ id }) => watches.end(Number(id)),
    notify: async ({ title, body }) => notify(textOf(title), textOf(body)),
  };
}

function targetOf({ provider, bucket, key }: Params): Target {
  return { provider: textOf(provider), bucket: textOf(bucket), key: textOf(key) };
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a text is missing');
  return value;
}
