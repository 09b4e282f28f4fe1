import type { Failure } from '../../transfer/failure.ts';
import type { FileFingerprint } from '../../transfer/resume-store.ts';
import type { Target, WhenTaken } from '../../transfer/transport.ts';
import { ApiError, reportError } from '../api/api-error.ts';
import { baseName } from '../place/place.ts';
import type { Sender, UploadFile } from '../work/send.ts';
import type { NewUpload } from '../work/upload-item.ts';

const LOOK_MS = 300;

type TakenFile = { readonly id: number; readonly path: string; readonly size: number; readonly lastModified: number };
type Taken = { readonly files: readonly TakenFile[]; readonly leftOut: number };
type UploadId = { readonly id: number };

/** Uploads by the main process, which refers to local files by number (`src/desktop/uploads.ts`). */
export type NativeUploads = {
  readonly takeFiles: (given: { readonly files: readonly unknown[] }) => Promise<(Taken | null)[]>;
  readonly planUploads: (planned: { readonly uploads: readonly (UploadId & Target)[] }) => Promise<void>;
  readonly unfinishedUploads: () => Promise<
    (UploadId & FileFingerprint & { readonly target: Target; readonly whenTaken: WhenTaken })[]
  >;
  readonly sendUpload: (upload: UploadId & Target & { readonly whenTaken: WhenTaken }) => Promise<Failure | null>;
  readonly uploadProgress: (
    upload: UploadId,
  ) => Promise<{ readonly sentBytes: number; readonly failure: Failure | null } | null>;
  readonly pauseUpload: (upload: UploadId) => Promise<void>;
  readonly giveUpUpload: (upload: UploadId) => Promise<void>;
};

/** A dropped or chosen file or folder, and its path in the target folder. */
type Given = { readonly file: UploadFile; readonly path: string };

/**
 * Passes dropped or chosen files and folders to the main process, which reads folders with their whole content. The page itself uploads the files that the main
 * process cannot access.
 *
 * @returns the uploads, and the number of entries in the folders that were left out.
 */
export async function takeByDesktop(
  native: NativeUploads,
  given: readonly Given[],
  targetOf: (path: string) => Target,
): Promise<{ readonly uploads: NewUpload[]; readonly leftOut: number }> {
  const taken = await native.takeFiles({ files: given.map(({ file }) => file) });
  const uploads: NewUpload[] = [];
  const planned: (UploadId & Target)[] = [];
  let leftOut = 0;
  for (const [index, { file, path }] of given.entries()) {
    const found = taken[index];
    if (!found) uploads.push({ file, target: targetOf(path) });
    leftOut += found?.leftOut ?? 0;
    for (const one of found?.files ?? []) {
      // The path of a file found in a folder starts with the folder's name, which `path` already contains. Only the page knows the path of a file in a chosen folder.
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

/** The uploads that an earlier page started and that can be resumed. */
export async function unfinishedByDesktop(native: NativeUploads): Promise<NewUpload[]> {
  return (await native.unfinishedUploads()).map(({ target, whenTaken, ...file }) => ({
    file: nativeFile(native, file),
    target,
    whenTaken,
  }));
}

function nativeFile(native: NativeUploads, { id, name, size, lastModified }: UploadId & FileFingerprint): UploadFile {
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
        // The bytes at the first look may have been sent earlier, so they do not count for the speed.
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
