import { failureOf, fileChanged } from '../../transfer/failure.ts';
import type { FileFingerprint } from '../../transfer/resume-store.ts';
import { abandonUpload } from '../../transfer/send-in-parts.ts';
import { sendUpload } from '../../transfer/send.ts';
import type { Target, WhenTaken } from '../../transfer/transport.ts';
import type { SourceFile, Upload, UploadContext } from '../../transfer/upload.ts';
import { otherKey, type AskAboutConflict } from './conflict.ts';

/** A file to upload: its content, name, size and time, or without the content but with a {@link Sender}. */
export type UploadFile = (Blob & FileFingerprint) | (FileFingerprint & { readonly sender: Sender });

/** Sends one file, from this page or by the desktop application. */
export type Sender = {
  /** Like {@link sendUpload}: fails on a taken key if `whenTaken` says so, and resumes an incomplete upload. */
  readonly send: (to: Destination, context: UploadContext<Blob>) => Promise<void>;
  /** Like {@link abandonUpload}. The file can be sent again. */
  readonly abandon: (to: Destination, context: Pick<UploadContext<Blob>, 'transport' | 'resumeStore'>) => Promise<void>;
  /** Called when a failed upload is removed from the list. */
  readonly cleared: () => void;
};

export type Destination = Pick<Upload<Blob>, 'target' | 'whenTaken'>;

/** The upload of one file. It keeps the user's answers, so that a paused upload can be resumed. */
export type UploadJob = {
  readonly file: FileFingerprint;
  readonly sender: Sender;
  target: Target;
  whenTaken: WhenTaken;
  /** The original target key. `target.key` differs if the user chose to keep both files. */
  readonly wantedKey: string;
  otherNames: number;
};

export type SendContext = UploadContext<Blob> & {
  readonly ask: AskAboutConflict;
  /** Whether another upload is writing to the target. */
  readonly isBeingWritten: (target: Target) => boolean;
};

export function senderOf(file: UploadFile): Sender {
  if ('sender' in file) return file.sender;
  const source = sourceOf(file);
  return {
    send: ({ target, whenTaken }, context) => sendUpload({ file: source, target, whenTaken }, context),
    abandon: ({ target }, context) => abandonUpload({ file: source, target }, context),
    // The sent parts are remembered, and the upload is listed as interrupted.
    cleared: () => undefined,
  };
}

/** A chosen file as a source for the transfer engine. Browsers refuse to read a file that has changed since it was chosen. */
export function sourceOf(file: Blob & FileFingerprint): SourceFile<Blob> {
  const { name, size, lastModified, type: contentType } = file;
  return {
    name,
    size,
    lastModified,
    contentType,
    slice: (start, end) => file.slice(start, end),
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
    requireUnchanged: async () => {
      await file
        .slice(0, 1)
        .arrayBuffer()
        .catch(() => {
          throw fileChanged();
        });
    },
  };
}

/** Sends a file, and asks the user if the key is taken. */
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

/** The next alternative key that no other upload is writing to. */
function nextTarget(job: UploadJob, { isBeingWritten }: SendContext): Target {
  for (;;) {
    job.otherNames += 1;
    const target = { ...job.target, key: otherKey(job.wantedKey, job.otherNames + 1) };
    if (!isBeingWritten(target)) return target;
  }
}

/** Whether a key is that of a folder marker. Folder markers are empty, so an existing one does not conflict with a new one. */
function isFolder(key: string): boolean {
  return key.endsWith('/');
}
