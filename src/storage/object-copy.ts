import { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CopyObjectCommand, CreateMultipartUploadCommand, HeadObjectCommand, UploadPartCopyCommand, type CompletedPart, type HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { SvcError } from '../errors/svc-error.ts';
import { checkObject } from './address.ts';
import { ask, LONG_WORK_MS } from './ask.ts';
import { dropUpload } from './drop-upload.ts';
import { deleteObject } from './object-delete.ts';
import { getObject } from './object-read.ts';
import { putObject, refuseToOverwrite, type ConditionalWrite } from './object-write.ts';
import type { Abortable, ObjectRef, Provider } from './provider.ts';
import { storedHeadersOf } from './stored-headers.ts';
import { writtenObject, type WrittenObject } from './written-object.ts';

export type Place = ObjectRef & { readonly provider: Provider };

const GIB = 2 ** 30;
/** What storage copies in one go, at most. */
const MAX_SINGLE_COPY_BYTES = 5 * GIB;
const MIN_COPY_PART_BYTES = GIB / 2;
const MAX_PARTS = 10_000;
const PART_COPIES_AT_ONCE = 4;

/**
 * Copies an object with its content type and metadata. Within a provider storage copies it itself, of any size; between providers it
 * is streamed through.
 *
 * @throws {SvcError} `invalid_request` on to itself; `not_found`; `precondition_failed`; `conflict` when the source changes meanwhile.
 */
export async function copyObject(from: Place, to: Place, options: ConditionalWrite = {}): Promise<WrittenObject> {
  refuseSamePlace(from, to);
  return copyOf(from, to, await headOf(from, options), options);
}

/**
 * Copies, then deletes the source.
 *
 * @throws {SvcError} as {@link copyObject}. When the copy failed, or the source was changed during it, the source stays.
 */
export async function moveObject(from: Place, to: Place, options: ConditionalWrite = {}): Promise<WrittenObject> {
  refuseSamePlace(from, to);
  const before = await headOf(from, options);
  const written = await copyOf(from, to, before, options);
  const now = await headOf(from, options);
  if (isAnotherVersion(before, now) || (await mayBeSameObject(from, to, now, options))) {
    throw changedMeanwhile();
  }
  await deleteObject(from.provider, from, options);
  return written;
}

function refuseSamePlace(from: Place, to: Place): void {
  checkObject(from.provider, from);
  checkObject(to.provider, to);
  // Two providers may be two names for one storage.
  const sameStorage = from.provider === to.provider || from.provider.endpoint === to.provider.endpoint;
  if (sameStorage && from.bucket === to.bucket && from.key === to.key) {
    throw new SvcError('invalid_request', { detail: 'the source and the target are the same object; choose another target' });
  }
}

function headOf({ provider, bucket, key }: Place, options: Abortable): Promise<HeadObjectCommandOutput> {
  return ask(provider, options, (send) => provider.client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), send));
}

function changedMeanwhile(): SvcError {
  return new SvcError('conflict', { detail: 'the source changed while it was copied, and was left as it is; try again' });
}

function isAnotherVersion(a: HeadObjectCommandOutput, b: HeadObjectCommandOutput): boolean {
  return a.ETag !== b.ETag || a.LastModified?.getTime() !== b.LastModified?.getTime();
}

/** Two endpoints that look different may lead to one storage; deleting the source would then delete the target. */
async function mayBeSameObject(from: Place, to: Place, source: HeadObjectCommandOutput, options: Abortable): Promise<boolean> {
  if (from.provider === to.provider || from.bucket !== to.bucket || from.key !== to.key) return false;
  return !isAnotherVersion(source, await headOf(to, options));
}

async function copyOf(from: Place, to: Place, source: HeadObjectCommandOutput, options: ConditionalWrite): Promise<WrittenObject> {
  if (from.provider !== to.provider) return streamThrough(from, to, source, options);
  if (options.ifNoneMatchAny) await refuseToOverwrite(to.provider, to, options);
  return (source.ContentLength ?? 0) > MAX_SINGLE_COPY_BYTES ? copyInParts(from, to, source, options) : copyAtOnce(from, to, options);
}

async function copyAtOnce(from: Place, { provider, bucket, key }: Place, { signal, ifNoneMatchAny }: ConditionalWrite): Promise<WrittenObject> {
  const command = new CopyObjectCommand({ Bucket: bucket, Key: key, CopySource: copySourceOf(from), ...(ifNoneMatchAny && { IfNoneMatch: '*' }) });
  const { CopyObjectResult } = await ask(provider, { signal, deadlineMs: LONG_WORK_MS }, (send) => provider.client.send(command, send));
  return writtenObject(provider, { bucket, key }, CopyObjectResult?.ETag);
}

async function streamThrough(from: Place, to: Place, source: HeadObjectCommandOutput, options: ConditionalWrite): Promise<WrittenObject> {
  const { body, headers } = await getObject(from.provider, from, options);
  if (body === undefined) throw changedMeanwhile();
  try {
    return await putObject(to.provider, to, body, {
      ...options,
      contentType: source.ContentType,
      contentLength: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
      stored: storedHeadersOf(source),
    });
  } finally {
    body.destroy();
  }
}

/** Copies an object that is too large for one copy; `partBytes` is for tests. */
export async function copyInParts(from: Place, to: Place, source: HeadObjectCommandOutput, { signal, ifNoneMatchAny }: ConditionalWrite, partBytes = MIN_COPY_PART_BYTES): Promise<WrittenObject> {
  const { provider } = to;
  const target = { Bucket: to.bucket, Key: to.key };
  const size = source.ContentLength ?? 0;
  const started = await ask(provider, { signal }, (send) =>
    provider.client.send(new CreateMultipartUploadCommand({ ...target, ContentType: source.ContentType, ...storedHeadersOf(source) }), send),
  );
  const upload = { ...target, UploadId: started.UploadId };
  try {
    const Parts = await copyParts(to, { ...upload, CopySource: copySourceOf(from), CopySourceIfMatch: source.ETag }, rangesOf(size, partBytes), signal);
    // Not all storage heeds the condition on the parts.
    if ((await headOf(from, { signal })).ETag !== source.ETag) throw changedMeanwhile();
    const joined = await ask(provider, { signal, deadlineMs: LONG_WORK_MS }, (send) =>
      provider.client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, ...(ifNoneMatchAny && { IfNoneMatch: '*' }) }), send),
    );
    return await writtenObject(provider, to, joined.ETag);
  } catch (error) {
    // The client may be gone; the parts are dropped all the same.
    await ask(provider, undefined, (send) => dropUpload(provider.client, new AbortMultipartUploadCommand(upload), send)).catch(() => undefined);
    throw error;
  }
}

type PartCopy = { Bucket: string; Key: string; UploadId: string | undefined; CopySource: string; CopySourceIfMatch: string | undefined };

async function copyParts({ provider }: Place, copy: PartCopy, ranges: readonly string[], signal: AbortSignal | undefined): Promise<CompletedPart[]> {
  const parts: CompletedPart[] = [];
  const left = ranges.entries();
  const failed = new AbortController();
  const eitherSignal = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const work = async (): Promise<void> => {
    for (const [index, CopySourceRange] of left) {
      const PartNumber = index + 1;
      const { CopyPartResult } = await ask(provider, { signal: eitherSignal, deadlineMs: LONG_WORK_MS }, (send) =>
        provider.client.send(new UploadPartCopyCommand({ ...copy, CopySourceRange, PartNumber }), send),
      );
      parts[index] = { PartNumber, ETag: CopyPartResult?.ETag };
    }
  };
  const results = await Promise.allSettled(Array.from({ length: PART_COPIES_AT_ONCE }, () => work().catch((error: unknown) => {
    failed.abort(error);
    throw error;
  })));
  for (const result of results) if (result.status === 'rejected') throw failed.signal.reason;
  return parts;
}

function rangesOf(size: number, minPartBytes: number): string[] {
  const partBytes = Math.max(minPartBytes, Math.ceil(size / MAX_PARTS));
  return Array.from({ length: Math.ceil(size / partBytes) }, (_, i) => `bytes=${i * partBytes}-${Math.min(size, (i + 1) * partBytes) - 1}`);
}

/** The SDK sends it as it is given; storage decodes it. */
function copySourceOf({ bucket, key }: ObjectRef): string {
  return `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
