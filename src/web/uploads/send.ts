import { otherKey, type AskAboutConflict } from './conflict.ts';
import { failureOf, type Failure } from './failure.ts';
import { partBytesFor, planParts, SINGLE_REQUEST_MAX_BYTES, type PlannedPart } from '../../transfer/parts.ts';
import type { FileMark, RememberedUploads } from './remembered.ts';
import { retrying } from './retry.ts';
import type { Slots } from './slots.ts';
import type { NamedPart, ReceivedPart, Target, UploadTransport, WhenTaken } from './transport.ts';

const ATTEMPTS = 6;
const PARTS_AT_ONCE = 3;

/** A `File`, or anything with its content and its marks. */
export type UploadFile = Blob & FileMark;

/** One file on its way. What is learnt on the way is kept here, so that a paused job goes on where it stopped. */
export type UploadJob = {
  readonly file: UploadFile;
  /** The key that was asked for; `target.key` differs once both files are to be kept. */
  readonly wantedKey: string;
  target: Target;
  whenTaken: WhenTaken;
  otherNames: number;
  /** How often the whole file was sent to this key: from the second time on it may be this file that takes the name. */
  timesSent: number;
  multipart: { readonly uploadId: string; readonly partBytes: number } | undefined;
};

export type SendContext = {
  readonly transport: UploadTransport;
  readonly remembered: RememberedUploads;
  /** Bounds the requests of all jobs together. */
  readonly requests: Slots;
  readonly signal: AbortSignal;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly ask: AskAboutConflict;
  /** Whether another file is on its way there. */
  readonly isBeingWritten: (target: Target) => boolean;
  /** @param sentBytes - of this file, in all. */
  readonly onSent: (sentBytes: number) => void;
  readonly onRetry: (failure: Failure, delayMs: number) => void;
};

/**
 * Sends a file: in one request, or in parts from 16 MiB on. Asks where the key is taken.
 *
 * Started again after it was aborted, it sends only the parts that the service has not got.
 */
export async function sendFile(job: UploadJob, context: SendContext): Promise<'stored' | 'skipped'> {
  for (;;) {
    try {
      await (job.file.size > SINGLE_REQUEST_MAX_BYTES ? sendInParts(job, context) : sendWhole(job, context));
      return 'stored';
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (failureOf(thrown).code !== 'precondition_failed' || job.whenTaken === 'replace') throw thrown;
      if (isFolder(job.target.key)) return 'stored';
      const answer = await context.ask(job.target.key, context.signal);
      if (answer === 'replace') {
        job.whenTaken = 'replace';
        continue;
      }
      await abandonParts(job, context);
      if (answer === 'skip') return 'skipped';
      job.timesSent = 0;
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

/** Gives up the parts that have arrived. What cannot be given up now stays remembered, to be discarded later. */
export async function abandonParts(job: UploadJob, context: Pick<SendContext, 'transport' | 'remembered'>): Promise<void> {
  if (!job.multipart) return;
  const { uploadId } = job.multipart;
  job.multipart = undefined;
  try {
    await context.transport.abandon(job.target, uploadId);
  } catch (thrown) {
    if (failureOf(thrown).code !== 'not_found') return;
  }
  context.remembered.forget(uploadId);
}

async function sendWhole(job: UploadJob, context: SendContext): Promise<void> {
  const { transport, signal } = context;
  try {
    await request(context, signal, () => {
      job.timesSent += 1;
      return transport.put(job.target, job.file, job.whenTaken, { signal, onProgress: context.onSent });
    });
  } catch (thrown) {
    signal.throwIfAborted();
    const isOurs = job.timesSent > 1 && failureOf(thrown).code === 'precondition_failed' && (await transport.holds(job.target, job.file, signal));
    if (!isOurs) throw thrown;
  }
}

async function sendInParts(job: UploadJob, context: SendContext): Promise<void> {
  const { uploadId, partBytes, received } = (await continued(job, context)) ?? (await begun(job, context));
  const arrived = new Map<number, number>();
  const etags = new Map<number, string>();
  const missing: PlannedPart[] = [];
  for (const part of planParts(job.file.size, partBytes)) {
    const bytes = part.end - part.start;
    const there = received.find((other) => other.number === part.number && other.size === bytes);
    if (there === undefined) {
      missing.push(part);
      continue;
    }
    arrived.set(part.number, bytes);
    etags.set(part.number, there.etag);
  }
  const report = () => context.onSent([...arrived.values()].reduce((sum, bytes) => sum + bytes, 0));
  report();
  await inParallel(missing, context.signal, async (part, signal) => {
    const { etag } = await request(context, signal, () => {
      const body = job.file.slice(part.start, part.end);
      const onProgress = (sentBytes: number) => {
        arrived.set(part.number, sentBytes);
        report();
      };
      return context.transport.sendPart(job.target, uploadId, part.number, body, { signal, onProgress });
    });
    arrived.set(part.number, part.end - part.start);
    etags.set(part.number, etag);
    report();
  });
  const parts = [...etags].map(([number, etag]) => ({ number, etag })).sort((a, b) => a.number - b.number);
  await complete(job, context, uploadId, parts);
  context.remembered.forget(uploadId);
}

type Multipart = { readonly uploadId: string; readonly partBytes: number; readonly received: readonly ReceivedPart[] };

/** The upload of this file that was begun before, unless the service has dropped it. */
async function continued(job: UploadJob, context: SendContext): Promise<Multipart | undefined> {
  const known = job.multipart ?? context.remembered.find(job.target, job.file);
  if (!known) return undefined;
  const { uploadId, partBytes } = known;
  try {
    const received = await request(context, context.signal, () => context.transport.receivedParts(job.target, uploadId, context.signal));
    job.multipart = { uploadId, partBytes };
    return { uploadId, partBytes, received };
  } catch (thrown) {
    if (failureOf(thrown).code !== 'not_found') throw thrown;
    job.multipart = undefined;
    context.remembered.forget(uploadId);
    return undefined;
  }
}

async function begun(job: UploadJob, context: SendContext): Promise<Multipart> {
  const { transport, signal } = context;
  if (job.whenTaken === 'refuse' && (await request(context, signal, () => transport.isTaken(job.target, signal)))) {
    throw Object.assign(new Error('the key is taken'), { code: 'precondition_failed' });
  }
  const partBytes = partBytesFor(job.file.size);
  const uploadId = await request(context, signal, () => transport.begin(job.target, job.file.type, signal));
  job.multipart = { uploadId, partBytes };
  const { name, size, lastModified } = job.file;
  context.remembered.remember({ target: job.target, uploadId, partBytes, file: { name, size, lastModified } });
  return { uploadId, partBytes, received: [] };
}

/** Completes; where an answer was lost and the upload is gone since, the lost answer was a success. */
async function complete(job: UploadJob, context: SendContext, uploadId: string, parts: readonly NamedPart[]): Promise<void> {
  const { transport, signal } = context;
  let tries = 0;
  try {
    await request(context, signal, () => {
      tries += 1;
      return transport.complete(job.target, uploadId, parts, job.whenTaken, signal);
    });
  } catch (thrown) {
    signal.throwIfAborted();
    if (tries > 1 && (await isGone(job, context, uploadId)) && (await transport.isTaken(job.target, signal))) return;
    throw thrown;
  }
}

async function isGone(job: UploadJob, context: SendContext, uploadId: string): Promise<boolean> {
  try {
    await context.transport.receivedParts(job.target, uploadId, context.signal);
    return false;
  } catch (thrown) {
    return failureOf(thrown).code === 'not_found';
  }
}

/** One request in a place of its own, tried again while trying again can help. The place is free while it waits. */
function request<T>(context: SendContext, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
  return retrying(() => context.requests.use(signal, send), { attempts: ATTEMPTS, signal, wait: context.wait, onRetry: context.onRetry });
}

/** Works a list off, a few at a time; the first failure stops the others. */
async function inParallel<T>(list: readonly T[], signal: AbortSignal, work: (item: T, signal: AbortSignal) => Promise<void>): Promise<void> {
  const rest = list.values();
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const worker = async () => {
    for (const item of rest) await work(item, either);
  };
  const workers = Array.from({ length: Math.min(PARTS_AT_ONCE, list.length) }, worker);
  try {
    await Promise.all(workers);
  } catch (thrown) {
    stop.abort(thrown);
    await Promise.allSettled(workers);
    throw thrown;
  }
}
