import { closeSync, constants, fstatSync, open, readSync, type BigIntStats } from 'node:fs';
import { open as openHandle, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { fileChanged } from '../transfer/failure.ts';
import type { SourceFile } from '../transfer/upload.ts';

const NS = 1_000_000_000n;

/** Ranges up to this size are read at once, and synchronously: a stream costs more than the transfer, and a thread more than the read. */
const WHOLE_BYTES = 262_144;

/** A named pipe that is there meanwhile is not waited for. Windows lacks the flag. */
const { O_NONBLOCK: NOT_WAITING = 0 } = constants as { readonly O_NONBLOCK?: number };
const TO_READ = constants.O_RDONLY | NOT_WAITING;

const openFile = promisify(open);

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
  const { size, mtimeNs, mtimeMs, dev, ino } = stateIn(await stat(path, { bigint: true }));
  return {
    name: resolve(path),
    dev,
    ino,
    size,
    lastModified: mtimeMs,
    mtimeNs,
    contentType: contentType ?? (await typeOf(path)),
    slice: (start, end) => ({ path, dev, ino, start, end }),
    bytes: () => bytesOf({ path, dev, ino, start: 0, end: size }),
    requireUnchanged: async () => {
      const now = stateIn(await stat(path, { bigint: true }));
      if (now.size !== size || now.mtimeNs !== mtimeNs || now.dev !== dev || now.ino !== ino) throw fileChanged();
    },
  };
}

/** Exact numbers as walks and looks at files tell them, and the time of the last change in nanoseconds since the epoch. */
export function stateIn({ size, mtimeNs, dev, ino }: Pick<BigIntStats, 'size' | 'mtimeNs' | 'dev' | 'ino'>) {
  return {
    size: Number(size),
    mtimeMs: Number(mtimeNs / NS) * 1_000 + Number(mtimeNs % NS) / 1e6,
    mtimeNs,
    dev: Number(BigInt.asUintN(64, dev)),
    // Node tells an exact number below zero for a file whose number has the highest bit, as in a container over two disks.
    ino: Number(BigInt.asUintN(64, ino)),
  };
}

/**
 * Sends exactly the announced bytes, even if the file grows in the meantime.
 *
 * @throws {TransferError} `file_changed` when it became too short.
 */
export async function withRange<T>(
  range: FileRange,
  onProgress: (sentBytes: number) => void,
  send: (body: Readable | Buffer) => Promise<T>,
): Promise<T> {
  const { path, start, end } = range;
  if (end - start <= WHOLE_BYTES) {
    const bytes = await bytesOf(range);
    onProgress(bytes.length);
    return send(bytes);
  }
  const file = await openHandle(path, TO_READ);
  try {
    requireSame(file.fd, range);
    let sent = 0;
    return await send(bodyOf(file, start, end, (bytes) => onProgress((sent += bytes)))).catch(
      async (error: unknown) => {
        // A stream that ended early has closed the file.
        throw (await stat(path)).size < end ? fileChanged() : error;
      },
    );
  } finally {
    await file.close();
  }
}

/** The bytes of a range. @throws {TransferError} `file_changed`: another file is there, or it became too short. */
async function bytesOf({ path, start, end, ...id }: FileRange): Promise<Buffer> {
  const file = await openFile(path, TO_READ);
  try {
    requireSame(file, id);
    const bytes = Buffer.allocUnsafe(end - start);
    for (let have = 0; have < bytes.length;) {
      const read = readSync(file, bytes, have, bytes.length - have, start + have);
      if (read === 0) throw fileChanged();
      have += read;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Checks the opened file, because another one may be at its path by now. @throws {TransferError} `file_changed` */
function requireSame(file: number, { dev, ino }: FileId): void {
  const found = fstatSync(file);
  // A named pipe may get the number of a file that was deleted.
  if (!found.isFile() || found.dev !== dev || found.ino !== ino) throw fileChanged();
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

/** Passes chunks on and counts their bytes. */
export function counted(
  onBytes: (bytes: number) => void,
): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void, void> {
  return async function* count(source) {
    for await (const chunk of source) {
      onBytes(chunk.length);
      yield chunk;
    }
  };
}
