import { failureOf, fileChanged } from '../../transfer/failure.ts';
import type { FileMark } from '../../transfer/memory.ts';
import { abandonUpload } from '../../transfer/send-in-parts.ts';
import { sendUpload } from '../../transfer/send.ts';
import type { Target } from '../../transfer/transport.ts';
import type { SourceFile, Upload, UploadContext } from '../../transfer/upload.ts';
import { otherKey, type AskAboutConflict } from './conflict.ts';

/** A `File`, or anything with its content and its marks. */
export type UploadFile = Blob & FileMark;

/** One file on its way. What is learnt on the way is kept here, so that a paused job goes on where it stopped. */
export type UploadJob = Upload<Blob> & {
  /** The key that was asked for; `target.key` differs once both files are to be kept. */
  readonly wantedKey: string;
  otherNames: number;
};

export type SendContext = UploadContext<Blob> & {
  readonly ask: AskAboutConflict;
  /** Whether another file is on its way there. */
  readonly isBeingWritten: (target: Target) => boolean;
};

/** A chosen file as the engine reads it. A browser refuses to read a file that has changed since it was chosen. */
export function sourceOf(file: UploadFile): SourceFile<Blob> {
  const { name, size, lastModified, type: contentType } = file;
  return {
    name,
    size,
    lastModified,
    contentType,
    slice: (start, end) => file.slice(start, end),
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
    requireUnchanged: async () => {
      await file.slice(0, 1).arrayBuffer().catch(() => {
        throw fileChanged();
      });
    },
  };
}

/** Sends a file, and asks where the key is taken. */
export async function sendAsking(job: UploadJob, context: SendContext): Promise<'stored' | 'skipped'> {
  for (;;) {
    try {
      await sendUpload(job, context);
      return 'stored';
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (failureOf(thrown).code !== 'precondition_failed' || job.whenTaken === 'replace') throw thrown;
      if (isFolder(job.target.key)) return 'stored';
      const answer = await context.ask({ target: job.target, source: job.file }, context.signal);
      if (answer === 'replace') {
        job.whenTaken = 'replace';
        continue;
      }
      await abandonUpload(job, context);
      if (answer === 'skip') return 'skipped';
      job.target = nextTarget(job, context);
    }
  }
}

/** The next other name that no other file is on its way to. */
function nextTarget(job: UploadJob, { isBeingWritten }: SendContext): Target {
  for (;;) {
    job.otherNames += 1;
    const target = { ...job.target, key: otherKey(job.wantedKey, job.otherNames + 1) };
    if (!isBeingWritten(target)) return target;
  }
}

/** What stands for an empty folder holds nothing, so that one is as good as another. */
function isFolder(key: string): boolean {
  return key.endsWith('/');
}
