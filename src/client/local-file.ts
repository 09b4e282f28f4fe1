import { open, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { lookup } from 'mime-types';
import { fileChanged } from '../transfer/failure.ts';
import type { SourceFile } from '../transfer/upload.ts';
import { counted } from './download.ts';

/** What is no longer is read at once: a stream costs a small file more than its transfer does. */
const WHOLE_BYTES = 262_144;

/** Which file a path led to. Another file may stand there later, or a link to one. */
export type FileId = { readonly dev: number; readonly ino: number };

/** Bytes `start` to `end` of a local file, `end` not included. */
export type FileRange = FileId & { readonly path: string; readonly start: number; readonly end: number };

/** A local file as it is now. @param contentType - by the file's name when it is undefined. */
export async function localFile(path: string, contentType?: string): Promise<SourceFile<FileRange> & FileId> {
  const { size, mtimeMs, dev, ino } = await stat(path);
  return {
    name: resolve(path),
    dev,
    ino,
    size,
    lastModified: mtimeMs,
    contentType: contentType ?? (lookup(path) || 'application/octet-stream'),
    slice: (start, end) => ({ path, dev, ino, start, end }),
    bytes: () => withSame({ path, dev, ino }, (file) => file.readFile()),
    requireUnchanged: async () => {
      const now = await stat(path);
      if (now.size !== size || now.mtimeMs !== mtimeMs || now.dev !== dev || now.ino !== ino) throw fileChanged();
    },
  };
}

/** Sends exactly the bytes that were announced: a file that grows meanwhile is cut there. @throws {TransferError} `file_changed` when it became too short. */
export async function withRange<T>({ path, dev, ino, start, end }: FileRange, onProgress: (sentBytes: number) => void, send: (body: Readable | Buffer) => Promise<T>): Promise<T> {
  return withSame({ path, dev, ino }, async (file) => {
    if (end - start <= WHOLE_BYTES) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
      if (bytesRead < end - start) throw fileChanged();
      onProgress(bytesRead);
      return await send(buffer);
    }
    let sent = 0;
    try {
      return await send(bodyOf(file, start, end, (bytes) => onProgress((sent += bytes))));
    } catch (error) {
      // A stream that ends early has closed the file.
      if ((await stat(path)).size < end) throw fileChanged();
      throw error;
    }
  });
}

/** Reads a file if it is still the same one: what is read is asked, and not what stands at the path. @throws {TransferError} `file_changed` */
async function withSame<T>({ path, dev, ino }: FileId & { readonly path: string }, read: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    const found = await file.stat();
    if (found.dev !== dev || found.ino !== ino) throw fileChanged();
    return await read(file);
  } finally {
    await file.close();
  }
}

function bodyOf(file: FileHandle, start: number, end: number, onBytes: (bytes: number) => void): Readable {
  return Readable.from(counted(onBytes)(file.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: WHOLE_BYTES })), { objectMode: false });
}
