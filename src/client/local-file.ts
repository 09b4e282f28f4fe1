import { constants, fstatSync } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { fileChanged } from '../transfer/failure.ts';
import type { SourceFile } from '../transfer/upload.ts';
import { counted } from './download.ts';

const NS = 1_000_000_000n;

/** Ranges up to this size are read at once: for a small file, a stream costs more than the transfer. */
const WHOLE_BYTES = 262_144;

/** A named pipe that is there meanwhile is not waited for. Windows lacks the flag. */
const { O_NONBLOCK: NOT_WAITING = 0 } = constants as { readonly O_NONBLOCK?: number };

/** Identifies the file to which a path led. Another file or link may be there later. */
export type FileId = { readonly dev: number; readonly ino: number };

export type FileSource = SourceFile<FileRange> &
  FileId & { /** Nanoseconds since the epoch. */ readonly mtimeNs: bigint };

/** The bytes of a local file from `start` to before `end`. */
export type FileRange = FileId & { readonly path: string; readonly start: number; readonly end: number };

/**
 * The current state of a local file.
 *
 * @param contentType - derived from the file's name when undefined.
 */
export async function localFile(path: string, contentType?: string): Promise<FileSource> {
  const { size, mtimeNs, mtimeMs, dev, ino } = await stateOf(path);
  return {
    name: resolve(path),
    dev,
    ino,
    size,
    lastModified: mtimeMs,
    mtimeNs,
    contentType: contentType ?? (await typeOf(path)),
    slice: (start, end) => ({ path, dev, ino, start, end }),
    bytes: () => withSame({ path, dev, ino }, (file) => file.readFile()),
    requireUnchanged: async () => {
      const now = await stateOf(path);
      if (now.size !== size || now.mtimeNs !== mtimeNs || now.dev !== dev || now.ino !== ino) throw fileChanged();
    },
  };
}

/** As walks and looks at files tell it, and the exact time of the last change in nanoseconds since the epoch. */
async function stateOf(path: string): Promise<FileId & { size: number; mtimeMs: number; mtimeNs: bigint }> {
  const { size, mtimeNs, dev, ino } = await stat(path, { bigint: true });
  const mtimeMs = Number(mtimeNs / NS) * 1_000 + Number(mtimeNs % NS) / 1e6;
  return { size: Number(size), mtimeMs, mtimeNs, dev: Number(dev), ino: Number(ino) };
}

/**
 * Sends exactly the announced bytes, even if the file grows in the meantime.
 *
 * @throws {TransferError} `file_changed` when it became too short.
 */
export async function withRange<T>(
  { path, dev, ino, start, end }: FileRange,
  onProgress: (sentBytes: number) => void,
  send: (body: Readable | Buffer) => Promise<T>,
): Promise<T> {
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
      // A stream that ended early has closed the file.
      if ((await stat(path)).size < end) throw fileChanged();
      throw error;
    }
  });
}

/**
 * Reads a file if it is still the same one. The opened file is checked, not the path.
 *
 * @throws {TransferError} `file_changed`
 */
async function withSame<T>(
  { path, dev, ino }: FileId & { readonly path: string },
  read: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path, constants.O_RDONLY | NOT_WAITING);
  try {
    const found = fstatSync(file.fd);
    // A named pipe may get the number of a file that was deleted.
    if (!found.isFile() || found.dev !== dev || found.ino !== ino) throw fileChanged();
    return await read(file);
  } finally {
    await file.close();
  }
}

function bodyOf(file: FileHandle, start: number, end: number, onBytes: (bytes: number) => void): Readable {
  return Readable.from(
    counted(onBytes)(file.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: WHOLE_BYTES })),
    { objectMode: false },
  );
}

/** The content type of a name. The types of all files are loaded when the first is asked for, because most commands send none. */
export async function typeOf(path: string): Promise<string> {
  const { default: types } = await import('mime-types');
  return types.lookup(path) || 'application/octet-stream';
}
