import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { lookup } from 'mime-types';
import { fileChanged } from '../transfer/failure.ts';
import type { SourceFile } from '../transfer/upload.ts';
import { counted } from './download.ts';

/** What is no longer is read at once: a stream costs a small file more than its transfer does. */
const WHOLE_BYTES = 262_144;

/** Bytes `start` to `end` of a local file, `end` not included. */
export type FileRange = { readonly path: string; readonly start: number; readonly end: number };

/** A local file as it is now. @param contentType - by the file's name when it is undefined. */
export async function localFile(path: string, contentType?: string): Promise<SourceFile<FileRange>> {
  const { size, mtimeMs } = await stat(path);
  return {
    name: resolve(path),
    size,
    lastModified: mtimeMs,
    contentType: contentType ?? (lookup(path) || 'application/octet-stream'),
    slice: (start, end) => ({ path, start, end }),
    bytes: () => readFile(path),
    requireUnchanged: async () => {
      const now = await stat(path);
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw fileChanged();
    },
  };
}

/** Sends exactly the bytes that were announced: a file that grows meanwhile is cut there. @throws {TransferError} `file_changed` when it became too short. */
export async function withRange<T>({ path, start, end }: FileRange, onProgress: (sentBytes: number) => void, send: (body: Readable | Buffer) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    if (end - start <= WHOLE_BYTES) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
      if (bytesRead < end - start) throw fileChanged();
      onProgress(bytesRead);
      return await send(buffer);
    }
    let sent = 0;
    return await send(bodyOf(file, start, end, (bytes) => onProgress((sent += bytes))));
  } catch (error) {
    if ((await stat(path)).size < end) throw fileChanged();
    throw error;
  } finally {
    await file.close();
  }
}

function bodyOf(file: FileHandle, start: number, end: number, onBytes: (bytes: number) => void): Readable {
  return Readable.from(counted(onBytes)(file.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: WHOLE_BYTES })), { objectMode: false });
}
