import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { lookup } from 'mime-types';
import { CliFailure, EXIT } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import { counted, type OnBytes } from './download.ts';
import { listPages } from './listing.ts';
import type { KeyPath } from './remote-path.ts';
import { retrying } from './retry.ts';
import { beginTransfer } from './transfer-request.ts';

export type UploadOptions = {
  /** By the file's name when it is undefined. */
  readonly contentType?: string | undefined;
  readonly onBytes: OnBytes;
};

/**
 * Uploads a file. The object appears whole, or not at all.
 *
 * @returns its size in bytes.
 */
export async function uploadFile(connection: Connection, path: string, object: KeyPath, { contentType, onBytes }: UploadOptions): Promise<number> {
  return retrying(async () => {
    const file = await open(path, 'r');
    let sent = 0;
    try {
      const { size } = await file.stat();
      const body = bodyOf(file, size, (bytes) => {
        sent += bytes;
        onBytes(bytes);
      });
      const response = await beginTransfer(connection, 'upload', object, { headers: { 'content-type': contentType ?? (lookup(path) || 'application/octet-stream'), 'content-length': String(size) }, body });
      await response.body.dump();
      if (sent !== size) throw changed();
      return size;
    } catch (error) {
      onBytes(-sent);
      throw error;
    } finally {
      await file.close();
    }
  });
}

/** Exactly as many bytes as were announced: a file that grows meanwhile is cut there, and one that shrinks is noticed. */
function bodyOf(file: FileHandle, size: number, onBytes: OnBytes): Readable {
  if (size === 0) return Readable.from([], { objectMode: false });
  return Readable.from(counted(onBytes)(file.createReadStream({ end: size - 1, autoClose: false, highWaterMark: 262_144 })), { objectMode: false });
}

function changed(): CliFailure {
  return new CliFailure(EXIT.failed, 'the file changed while it was copied; copy it again');
}

/** The size of an object, as a listing has it; undefined when it is not there or may not be listed. */
export async function remoteSize(connection: Connection, object: KeyPath): Promise<number | undefined> {
  for await (const { objects } of listPages(connection, object)) {
    const [first] = objects;
    // A key sorts before every longer one that it begins.
    if (first !== undefined) return first.key === object.key ? first.size : undefined;
  }
  return undefined;
}
