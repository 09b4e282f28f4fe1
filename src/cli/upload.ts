import { open, stat } from 'node:fs/promises';
import { lookup } from 'mime-types';
import { SINGLE_REQUEST_MAX_BYTES } from '../wire/upload-parts.ts';
import type { Connection } from './connection.ts';
import type { OnBytes } from './download.ts';
import { bodyOf, fileChanged } from './file-body.ts';
import type { KeyPath } from './remote-path.ts';
import type { RememberedUploads } from './remembered-uploads.ts';
import { retrying } from './retry.ts';
import type { Slots } from './slots.ts';
import { beginTransfer } from './transfer-request.ts';
import { uploadInParts } from './upload-in-parts.ts';

export type UploadOptions = {
  /** By the file's name when it is undefined. */
  readonly contentType?: string | undefined;
  readonly remembered: RememberedUploads;
  /** Bounds the requests of all copies together. */
  readonly slots: Slots;
  readonly onBytes: OnBytes;
  /** What the person should know while it goes on. */
  readonly say: (line: string) => void;
};

/**
 * Uploads a file: in one request, or in parts from 16 MiB on. The object appears whole, or not at all.
 *
 * @returns its size in bytes.
 */
export async function uploadFile(connection: Connection, path: string, object: KeyPath, options: UploadOptions): Promise<number> {
  const contentType = options.contentType ?? (lookup(path) || 'application/octet-stream');
  const { size } = await stat(path);
  if (size > SINGLE_REQUEST_MAX_BYTES) return uploadInParts(connection, path, object, { ...options, contentType });
  return retrying(() => options.slots.use(() => sendWhole(connection, path, object, contentType, options.onBytes)));
}

async function sendWhole(connection: Connection, path: string, object: KeyPath, contentType: string, onBytes: OnBytes): Promise<number> {
  const file = await open(path, 'r');
  let sent = 0;
  try {
    const { size } = await file.stat();
    const body = bodyOf(file, { start: 0, end: size }, (bytes) => {
      sent += bytes;
      onBytes(bytes);
    });
    const response = await beginTransfer(connection, 'upload', object, { headers: { 'content-type': contentType, 'content-length': String(size) }, body });
    await response.body.dump();
    if (sent !== size) throw fileChanged();
    return size;
  } catch (error) {
    onBytes(-sent);
    throw error;
  } finally {
    await file.close();
  }
}
