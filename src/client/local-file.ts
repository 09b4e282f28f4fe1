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

type FileState = ReturnType<typeof stateIn>;

/** The bytes of a local file from `start` to before `end`, as it was when it was found. */
export type FileRange = {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly state: FileState;
};

/**
 * The current state of a local file.
 *
 * @param contentType - derived from the file's name when undefined.
 */
export async function localFile(path: string, contentType?: string): Promise<FileSource> {
  const state = stateIn(await stat(path, { bigint: true }));
  const { size, mtimeNs, mtimeMs, dev, ino } = state;
  return {
    name: resolve(path),
    dev,
    ino,
    size,
    lastModified: mtimeMs,
    mtimeNs,
    contentType: contentType ?? (await typeOf(path)),
    slice: (start, end) => ({ path, start, end, state }),
    bytes: () => bytesOf({ path, start: 0, end: size, state }),
    requireUnchanged: async () => requireSame(await stat(path, { bigint: true }), state),
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
 * Sends the bytes of a range. The last of them are sent only while the file is as it was found, so that nothing is stored of which a part is older than the rest.
 *
 * @throws {TransferError} `file_changed`
 */
export async function withRange<T>(
  range: FileRange,
  onProgress: (sentBytes: number) => void,
  send: (body: Readable | Buffer) => Promise<T>,
): Promise<T> {
  const { path, start, end, state } = range;
  if (end - start <= WHOLE_BYTES) {
    const bytes = await bytesOf(range);
    onProgress(bytes.length);
    return send(bytes);
  }
  const file = await openHandle(path, TO_READ);
  try {
    requireSame(stateOf(file.fd), state);
    return await send(Readable.from(bodyOf(file, range, onProgress), { objectMode: false })).catch(
      async (error: unknown) => {
        // A body that fails is told as a failure of the connection.
        requireSame(await stat(path, { bigint: true }), state);
        throw error;
      },
    );
  } finally {
    await file.close();
  }
}

/** The bytes of a range. @throws {TransferError} `file_changed` */
async function bytesOf({ path, start, end, state }: FileRange): Promise<Buffer> {
  const file = await openFile(path, TO_READ);
  try {
    // What is there now may be no file, of which nothing is read.
    requireSame(stateOf(file), state);
    const bytes = Buffer.allocUnsafe(end - start);
    for (let have = 0; have < bytes.length;) {
      const read = readSync(file, bytes, have, bytes.length - have, start + have);
      if (read === 0) throw fileChanged();
      have += read;
    }
    requireSame(stateOf(file), state);
    return bytes;
  } finally {
    closeSync(file);
  }
}

async function* bodyOf(
  file: FileHandle,
  { start, end, state }: FileRange,
  onProgress: (sentBytes: number) => void,
): AsyncGenerator<Buffer, void, void> {
  let at = start;
  const stream = file.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: WHOLE_BYTES });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    at += chunk.length;
    if (at === end) requireSame(stateOf(file.fd), state);
    onProgress(at - start);
    yield chunk;
  }
  if (at < end) throw fileChanged();
}

function stateOf(file: number): BigIntStats {
  return fstatSync(file, { bigint: true });
}

/** @throws {TransferError} `file_changed`: another file is at the path, or it was written. */
function requireSame(found: BigIntStats, { size, mtimeNs, dev, ino }: FileState): void {
  const now = stateIn(found);
  // A named pipe may get the number of a file that was deleted.
  if (!found.isFile() || now.size !== size || now.mtimeNs !== mtimeNs || now.dev !== dev || now.ino !== ino)
    throw fileChanged();
}

/** The content type of a name. The types of all files are loaded when the first is asked for, because most commands send none. */
export async function typeOf(path: string): Promise<string> {
  const { default: types } = await import('mime-types');
  return types.lookup(path) || 'application/octet-stream';
}
