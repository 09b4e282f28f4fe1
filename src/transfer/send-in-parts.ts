import pLimit from 'p-limit';
import { failureOf, keepsParts, TransferError } from './failure.ts';
import type { MultipartUpload, FingerprintedFile } from './resume-store.ts';
import { partBytesFor, planParts } from './parts.ts';
import { withRetries } from './retry.ts';
import type { ArrivedPart, NamedPart, Target, Transport, WhenTaken } from './transport.ts';
import { request, type RequestContext, type Upload, type UploadContext } from './upload.ts';

type RunningUpload = MultipartUpload & { readonly arrived: readonly ArrivedPart[] };

/** What is needed to join parts. `size` is that of all parts together, in bytes. */
type Joined = { readonly size: number; readonly target: Target; readonly whenTaken: WhenTaken };
type Requests = RequestContext & { readonly transport: Pick<Transport<never>, 'find' | 'complete' | 'arrivedParts'> };

export async function sendInParts<Body>(upload: Upload<Body>, context: UploadContext<Body>): Promise<void> {
  const running = (await continued(upload, context)) ?? (await begun(upload, context));
  try {
    const parts = await sendMissing(upload, running, context);
    await upload.file.requireUnchanged();
    await joinParts({ ...upload, size: upload.file.size }, running, parts, context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    await leave(upload, running, thrown, context);
    throw thrown;
  }
  await context.resumeStore.forget(upload.file, upload.target);
}

/** Deletes the parts that have arrived. If that fails, the upload stays remembered, so that it can be deleted later. */
export async function abandonUpload<Body>(
  { file, target }: { readonly file: FingerprintedFile; readonly target: Target },
  context: Pick<UploadContext<Body>, 'transport' | 'resumeStore'>,
): Promise<void> {
  const begun = await context.resumeStore.find(file, target);
  if (begun !== undefined) await drop(file, target, begun, context).catch(() => undefined);
}

/** The earlier upload of this file; undefined when there is none, or when storage has deleted it. */
async function continued<Body>(upload: Upload<Body>, context: UploadContext<Body>): Promise<RunningUpload | undefined> {
  const { file, target } = upload;
  const { resumeStore, onEvent } = context;
  const known = await resumeStore.find(file, target);
  if (known === undefined) return undefined;
  if (!known.isCurrent) {
    onEvent?.({ kind: 'changed-since' });
    await drop(file, target, known, context);
    return undefined;
  }
  const parts = await arrivedParts(target, known, context).catch((thrown: unknown) => {
    onEvent?.({ kind: 'parts-kept' });
    throw thrown;
  });
  if (parts === undefined) {
    await resumeStore.forget(file, target);
    return undefined;
  }
  const planned = planParts(file.size, known.partBytes);
  const bytesOf = new Map(planned.map(({ number, start, end }) => [number, end - start]));
  const arrived = parts.filter(({ number, size }) => bytesOf.get(number) === size);
  onEvent?.({ kind: 'continued', arrived: arrived.length, parts: planned.length });
  return { ...known, arrived };
}

async function begun<Body>(
  { file, target, whenTaken }: Upload<Body>,
  context: UploadContext<Body>,
): Promise<RunningUpload> {
  const { transport, resumeStore, signal, onEvent } = context;
  if (whenTaken === 'refuse' && (await request(context, signal, () => transport.find(target, signal))) !== undefined) {
    throw new TransferError('precondition_failed', 'the key is taken');
  }
  const uploadId = await request(context, signal, () => transport.begin(target, file.contentType, signal));
  const upload = { uploadId, partBytes: partBytesFor(file.size) };
  try {
    await resumeStore.remember(file, target, upload);
  } catch (error) {
    onEvent?.({ kind: 'not-remembered', reason: error instanceof Error ? error.message : String(error) });
  }
  return { ...upload, arrived: [] };
}

/**
 * Sends the missing parts. The first failure stops the others, and is thrown when all have ended.
 *
 * @returns every part of the file, by number.
 */
async function sendMissing<Body>(
  { file, target }: Upload<Body>,
  { uploadId, partBytes, arrived }: RunningUpload,
  context: UploadContext<Body>,
): Promise<NamedPart[]> {
  const { transport, onSent } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const sent = new Map<number, number>();
  const etags = new Map(arrived.map(({ number, etag }) => [number, etag]));
  let sentBytes = arrived.reduce((sum, { size }) => sum + size, 0);
  const report = (number: number, bytes: number): void => {
    sentBytes += bytes - (sent.get(number) ?? 0);
    sent.set(number, bytes);
    onSent(sentBytes, false);
  };
  onSent(sentBytes, true);
  const place = pLimit(context.partsAtOnce);
  const missing = planParts(file.size, partBytes).filter(({ number }) => !etags.has(number));
  const sending = missing.map(({ number, start, end }) =>
    place(async () => {
      try {
        const { etag } = await request(context, signal, async () => {
          report(number, 0);
          await file.requireUnchanged();
          return transport.sendPart(target, uploadId, number, file.slice(start, end), {
            signal,
            onProgress: (bytes) => report(number, bytes),
          });
        });
        report(number, end - start);
        etags.set(number, etag);
      } catch (thrown) {
        report(number, 0);
        stop.abort(thrown);
      }
    }),
  );
  await Promise.all(sending);
  signal.throwIfAborted();
  return [...etags].map(([number, etag]) => ({ number, etag })).sort((a, b) => a.number - b.number);
}

/**
 * Joins exactly these parts. When that fails, an earlier try may have succeeded: its answer was lost, or a proxy or a browser repeated it silently. Then the
 * upload is gone, and an object of this size has appeared since, with an ETag that tells nothing of its content.
 */
export async function joinParts(
  { size, target, whenTaken }: Joined,
  running: Pick<MultipartUpload, 'uploadId'>,
  parts: readonly NamedPart[],
  context: Requests & { readonly signal: AbortSignal },
): Promise<void> {
  const { transport, signal } = context;
  const find = () => request(context, signal, () => transport.find(target, signal));
  const before = await find();
  try {
    const joined = await request(context, signal, () =>
      transport.complete(target, running.uploadId, parts, whenTaken, signal),
    );
    if (joined !== size)
      throw new TransferError('wrong_size', `the object has ${joined} bytes instead of ${size}; copy the file again`);
  } catch (thrown) {
    signal.throwIfAborted();
    const isGone =
      ['not_found', 'precondition_failed'].includes(failureOf(thrown).code) &&
      (await arrivedParts(target, running, context)) === undefined;
    const now = isGone ? await find() : undefined;
    if (now?.size !== size || now.version === before?.version || USUAL_ETAG.test(now.version)) throw thrown;
  }
}

/** The service compares such an ETag with those of the parts, and would have told that it is the joined object. Some storage writes it without quotes, and a proxy `W/`. */
const USUAL_ETAG = /^(?:W\/)?"?[0-9a-f]{32}(?:-\d+)?"? /i;

/** Keeps the parts if they are useful for the next try and will be found; otherwise deletes them. */
async function leave<Body>(
  { file, target }: Upload<Body>,
  { uploadId }: RunningUpload,
  thrown: unknown,
  context: UploadContext<Body>,
): Promise<void> {
  const isRemembered = (await context.resumeStore.find(file, target))?.uploadId === uploadId;
  if (isRemembered && keepsParts(thrown)) context.onEvent?.({ kind: 'parts-kept' });
  // If the parts cannot be deleted, the upload stays remembered; the next try resumes or deletes it.
  else await drop(file, target, { uploadId }, context).catch(() => undefined);
}

async function drop<Body>(
  file: FingerprintedFile,
  target: Target,
  { uploadId }: Pick<MultipartUpload, 'uploadId'>,
  { transport, resumeStore, firstDelayMs }: Pick<UploadContext<Body>, 'transport' | 'resumeStore' | 'firstDelayMs'>,
): Promise<void> {
  try {
    await withRetries(() => transport.abandon(target, uploadId), { retries: 2, firstDelayMs });
  } catch (thrown) {
    if (failureOf(thrown).code !== 'not_found') throw thrown;
  }
  await resumeStore.forget(file, target);
}

/** The parts that have arrived; undefined when storage no longer knows the upload. */
async function arrivedParts(
  target: Target,
  { uploadId }: Pick<MultipartUpload, 'uploadId'>,
  context: Requests & { readonly signal: AbortSignal },
): Promise<readonly ArrivedPart[] | undefined> {
  const { transport, signal } = context;
  try {
    return await request(context, signal, () => transport.arrivedParts(target, uploadId, signal));
  } catch (thrown) {
    if (failureOf(thrown).code === 'not_found') return undefined;
    throw thrown;
  }
}
