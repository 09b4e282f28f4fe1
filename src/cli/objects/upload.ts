import { resolve } from 'node:path';
import pLimit from 'p-limit';
import { failureOf, fileChanged } from '../../transfer/failure.ts';
import { sendUpload } from '../../transfer/send.ts';
import { abandonUpload } from '../../transfer/send-in-parts.ts';
import type { Connection } from '../../client/connection.ts';
import { MTIME, mtimeText } from '../../client/modification-time.ts';
import { objectHead } from '../../client/object-head.ts';
import { ticketTransport } from '../../client/ticket-transport.ts';
import type { Target } from '../../transfer/transport.ts';
import type { UploadEvent } from '../../transfer/upload.ts';
import type { StoredHeaders } from '../../wire/stored-headers.ts';
import type { OnBytes } from '../../client/download.ts';
import { localFile, type FileId } from '../../client/local-file.ts';
import type { UploadTurns } from '../../client/upload-turns.ts';
import type { KeyPath } from '../argument/remote-path.ts';
import type { KeptUpload, RememberedUploads } from '../../client/remembered-uploads.ts';
import { count } from '../terminal/text.ts';

export type UploadOptions = {
  readonly connection: Connection;
  /** The ETag of the only version that may be replaced; null when nothing may be. Anything is replaced when undefined. */
  readonly over?: string | null | undefined;
  /** Derived from the file's name when undefined. */
  readonly contentType?: string | undefined;
  /** The headers that the person stores with the object. */
  readonly stored?: StoredHeaders | undefined;
  readonly remembered: RememberedUploads;
  /** The file that has to be at the path. */
  readonly found?: FileId | undefined;
  /** The turns of the requests that carry content, of all uploads together. */
  readonly turns: UploadTurns;
  readonly onBytes: OnBytes;
  /** Prints a message for the person during the upload. */
  readonly say: (line: string) => void;
};

/**
 * Uploads a file, and keeps its modification time with the object.
 *
 * @returns its size in bytes.
 * @throws {TransferError} `file_changed`: another file is at the path.
 * @throws {SvcError} `precondition_failed`: another version than `over` is there.
 */
export async function uploadFile(
  path: string,
  { provider, bucket, key }: KeyPath,
  options: UploadOptions,
): Promise<number> {
  const { connection, over, contentType, stored, remembered: resumeStore, turns, found, onBytes, say } = options;
  const file = { ...(await localFile(path, contentType)), stored };
  if (found !== undefined && (file.dev !== found.dev || file.ino !== found.ino)) throw fileChanged();
  const transport = ticketTransport(connection, undefined, {
    stored: { ...stored, [MTIME]: mtimeText(file.mtimeNs) },
    over: over ?? undefined,
    turns,
  });
  let sent = 0;
  await sendUpload(
    { file, target: { provider, bucket, key }, whenTaken: over === null ? 'refuse' : 'replace' },
    {
      transport,
      resumeStore,
      requests: pLimit(Infinity),
      partsAtOnce: turns.atOnce,
      signal: new AbortController().signal,
      onSent: (sentBytes, wasThere) => {
        onBytes(sentBytes - sent, wasThere);
        sent = sentBytes;
      },
      onRetry: connection.onRetry,
      onEvent: (news) => say(newsText(news)),
    },
  );
  return file.size;
}

/** Forgets the upload of a file that broke off and is of no use any more, and deletes its parts. Nothing is asked when none broke off. */
export async function forgetUpload(
  path: string,
  { provider, bucket, key }: KeyPath,
  { connection, remembered }: Pick<UploadOptions, 'connection' | 'remembered'>,
): Promise<void> {
  const file = { name: resolve(path), size: 0, lastModified: 0, contentType: '' };
  const target = { provider, bucket, key };
  const begun = await remembered.find(file, target);
  if (begun === undefined || !(await isOver(connection, target, begun))) return;
  await abandonUpload({ file, target }, { transport: ticketTransport(connection), resumeStore: remembered });
}

/**
 * Whether the object was written after the upload began, or storage knows the upload no more. Otherwise another command may be sending the upload, or it may have
 * newer content than the object.
 */
async function isOver(
  connection: Connection,
  target: Target,
  { begunAt, uploadId: id }: Pick<KeptUpload, 'begunAt' | 'uploadId'>,
): Promise<boolean> {
  try {
    const object = await objectHead(connection, target);
    if (Date.parse(object?.lastModified ?? '') > Date.parse(begunAt)) return true;
    await connection.call('upload/get', { ...target, id });
    return false;
  } catch (error) {
    return failureOf(error).code === 'not_found';
  }
}

function newsText(news: UploadEvent): string {
  switch (news.kind) {
    case 'continued':
      return `goes on with the upload that broke off: ${news.arrived} of ${count(news.parts, 'part')} have arrived`;
    case 'changed-since':
      return 'it, or what is stored with it, has changed since its upload broke off, which begins anew';
    case 'parts-kept':
      return 'what has arrived is kept; give the same command again to send the rest';
    case 'not-remembered':
      return `cannot go on later if it breaks off: ${news.reason}`;
  }
}
