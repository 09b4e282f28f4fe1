import type { Target } from '../transfer/transport.ts';
import type { Account } from './account.ts';
import type { Downloads } from './downloads.ts';
import type { Params } from './protocol.ts';
import { reveal } from './reveal.ts';
import type { PageMethod } from './window.ts';

export type NativeParts = {
  readonly account: Account;
  readonly downloads: Downloads;
  readonly notify: (title: string, body: string) => Promise<void>;
  /** Opens an address or a folder with the system's program for it. */
  readonly openOutside: (address: string) => void;
};

/** What `window.svcDesktop` of the page can do. It names objects and downloads, and never a path of this computer. */
export function nativeMethods({ account, downloads, notify, openOutside }: NativeParts): Readonly<Record<string, PageMethod>> {
  return {
    /** Who is signed in; null when nobody is. */
    principal: () => Promise.resolve(account.principal),
    /** Downloads an object into the person's folder. */
    download: async (params) => downloads.begin(targetOf(params)),
    /** How a download is. Answers after a moment while it runs. */
    downloadStatus: async ({ id }) => downloads.status(Number(id)),
    cancelDownload: async ({ id }) => downloads.cancel(Number(id)),
    /** Shows a finished download in the file manager. */
    reveal: async ({ id }) => {
      const file = downloads.fileOf(Number(id));
      if (file === undefined) throw new Error('this download has no file');
      await reveal(file, openOutside);
    },
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
