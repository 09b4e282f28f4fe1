import { failureOf, fileChanged } from '../../transfer/failure.ts';
import type { FileMark } from '../../transfer/memory.ts';
import { abandonUpload } from '../../transfer/send-in-parts.ts';
import { sendUpload } from '../../transfer/send.ts';
import type { Target, WhenTaken } from '../../transfer/transport.ts';
import type { SourceFile, Upload, UploadContext } from '../../transfer/upload.ts';
import { otherKey, type AskAboutConflict } from './conflict.ts';

/** A `File`, or anything with its content and its marks; or a file that the page knows by its marks alone, with what sends it. */
export type UploadFile = (Blob & FileMark) | (FileMark & { readonly sender: Sender });

/** Sends one file: from this page, or by the application that the page is shown in. */
export type Sender = {
  /** As {@link sendUpload}: it refuses a taken key where it is told to, and goes on where it was. */
  readonly send: (to: Destination, context: UploadContext<Blob>) => Promise<void>;
  /** As {@link abandonUpload}. It may be sent anew. */
  readonly abandon: (to: Destination, context: Pick<UploadContext<Blob>, 'transport' | 'memory'>) => Promise<void>;
  /** It failed, and was taken out of the list. */
  readonly cleared: () => void;
};

export type Destination = Pick<Upload<Blob>, 'target' | 'whenTaken'>;

/** One file on its way. What is learnt on the way is kept here, so that a paused job goes on where it stopped. */
export type UploadJob = {
  readonly file: FileMark;
  readonly sender: Sender;
  target: Target;
  whenTaken: WhenTaken;
  /** The key that was asked for; `target.key` differs once both files are to be kept. */
  readonly wantedKey: string;
  otherNames: number;
};

export type SendContext = UploadContext<Blob> & {
  readonly ask: AskAboutConflict;
  /** Whether another file is on its way there. */
  readonly isBeingWritten: (target: Target) => boolean;
};

export function senderOf(file: UploadFile): Sender {
  if ('sender' in file) return file.sender;
  const source = sourceOf(file);
  return {
    send: ({ target, whenTaken }, context) => sendUpload({ file: source, target, whenTaken }, context),
    abandon: ({ target }, context) => abandonUpload({ file: source, target }, context),
    // What has arrived is remembered, and listed as interrupted.
    cleared: () => undefined,
  };
}

/** A chosen file as the engine reads it. A browser refuses to read a file that has changed since it was chosen. */
export function sourceOf(file: Blob & FileMark): SourceFile<Blob> {
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
      await job.sender.send(job, context);
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
      await job.sender.abandon(job, context);
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
