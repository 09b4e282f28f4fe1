import type { Failure } from '../../transfer/failure.ts';
import type { FileMark } from '../../transfer/memory.ts';
import type { Target, WhenTaken } from '../../transfer/transport.ts';
import { ApiError, reportError } from '../api/api-error.ts';
import { baseName } from '../place/place.ts';
import type { Sender, UploadFile } from '../work/send.ts';
import type { NewUpload } from '../work/upload-item.ts';

const LOOK_MS = 300;

type TakenFile = { readonly id: number; readonly path: string; readonly size: number; readonly lastModified: number };
type Taken = { readonly files: readonly TakenFile[]; readonly leftOut: number };
type UploadId = { readonly id: number };

/** Uploads by the main process, which knows the files of this computer by number (`src/desktop/uploads.ts`). */
export type NativeUploads = {
  readonly takeFiles: (given: { readonly files: readonly unknown[] }) => Promise<(Taken | null)[]>;
  readonly planUploads: (planned: { readonly uploads: readonly (UploadId & Target)[] }) => Promise<void>;
  readonly unfinishedUploads: () => Promise<(UploadId & FileMark & { readonly target: Target; readonly whenTaken: WhenTaken })[]>;
  readonly sendUpload: (upload: UploadId & Target & { readonly whenTaken: WhenTaken }) => Promise<Failure | null>;
  readonly uploadProgress: (upload: UploadId) => Promise<{ readonly sentBytes: number; readonly failure: Failure | null } | null>;
  readonly pauseUpload: (upload: UploadId) => Promise<void>;
  readonly giveUpUpload: (upload: UploadId) => Promise<void>;
};

/** A file or a folder as it was dropped or chosen, and its name below the place that it goes to. */
type Given = { readonly file: UploadFile; readonly path: string };

/**
 * Has the main process take what was dropped or chosen: folders with all that is in them. What it cannot reach is uploaded by the page.
 *
 * @returns the uploads, and how many things in the folders were left out.
 */
export async function takeByDesktop(native: NativeUploads, given: readonly Given[], targetOf: (path: string) => Target): Promise<{ readonly uploads: NewUpload[]; readonly leftOut: number }> {
  const taken = await native.takeFiles({ files: given.map(({ file }) => file) });
  const uploads: NewUpload[] = [];
  const planned: (UploadId & Target)[] = [];
  let leftOut = 0;
  for (const [index, { file, path }] of given.entries()) {
    const found = taken[index];
    if (!found) uploads.push({ file, target: targetOf(path) });
    leftOut += found?.leftOut ?? 0;
    for (const one of found?.files ?? []) {
      // A folder's path begins with its own name; that of a file in a chosen folder is known by the page alone.
      const target = targetOf(path + one.path.replace(/^[^/]*/, ''));
      if (one.path.endsWith('/')) {
        uploads.push({ file: new File([], baseName(path)), target });
        continue;
      }
      planned.push({ id: one.id, ...target });
      uploads.push({ file: nativeFile(native, { ...one, name: baseName(one.path) }), target });
    }
  }
  await native.planUploads({ uploads: planned });
  return { uploads, leftOut };
}

/** What an earlier page began, in order to go on. */
export async function unfinishedByDesktop(native: NativeUploads): Promise<NewUpload[]> {
  return (await native.unfinishedUploads()).map(({ target, whenTaken, ...file }) => ({ file: nativeFile(native, file), target, whenTaken }));
}

function nativeFile(native: NativeUploads, { id, name, size, lastModified }: UploadId & FileMark): UploadFile {
  return { name, size, lastModified, sender: senderOf(native, id) };
}

function senderOf(native: NativeUploads, id: number): Sender {
  const giveUp = () => native.giveUpUpload({ id }).catch(() => undefined);
  return {
    send: async ({ target, whenTaken }, { signal, onSent, onRetry }) => {
      const pause = () => void native.pauseUpload({ id });
      signal.addEventListener('abort', pause, { once: true });
      let isFirst = true;
      const look = async () => {
        const progress = await native.uploadProgress({ id });
        if (signal.aborted || progress === null) return;
        // What is there at the first look may have arrived before.
        onSent(progress.sentBytes, isFirst);
        isFirst = false;
        if (progress.failure) onRetry?.(progress.failure);
      };
      const looking = setInterval(() => void look().catch(() => undefined), LOOK_MS);
      try {
        const failure = await native.sendUpload({ id, ...target, whenTaken });
        signal.throwIfAborted();
        if (failure) throw errorOf(failure);
      } finally {
        clearInterval(looking);
        signal.removeEventListener('abort', pause);
      }
    },
    abandon: giveUp,
    cleared: () => void giveUp(),
  };
}

function errorOf({ code, detail, status = 0, retryAfterSeconds }: Failure): ApiError {
  const error = new ApiError(code, detail, { status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
  reportError(error);
  return error;
}
