import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { retrying } from '../transfer/retry.ts';
import { ClientFailure } from './client-failure.ts';
import { headerOf, type Connection } from './connection.ts';
import type { Target } from '../transfer/transport.ts';
import { beginTransfer, plainEtag } from './transfer-request.ts';

/** The version of an object when the transfer was planned. */
export type KnownObject = { readonly size: number; readonly etag: string; readonly lastModified?: string | null };

/** @param wasThere - whether the bytes are from an earlier run. */
export type OnBytes = (bytes: number, wasThere?: boolean) => void;

const MAX_NAME_BYTES = 255;
/** Windows has no such flag. */
const NOT_A_LINK = (constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;

/**
 * Downloads an object to a file. Received bytes are kept in a `.part` file next to it, from which the next try continues as long as the object is unchanged.
 * The file itself appears whole.
 *
 * @param signal - aborts the download and keeps the received bytes.
 */
export async function downloadObject(connection: Connection, object: Target, known: KnownObject, path: string, onBytes: OnBytes, signal?: AbortSignal): Promise<void> {
  let expected = known;
  await retrying(async (attempt) => {
    if (attempt > 1) expected = await connection.call('object/head', { provider: object.provider, bucket: object.bucket, key: object.key });
    const part = partPath(path, object, expected.etag);
    await fetchRest(connection, object, expected, { part, onBytes, signal });
    await requireSize(part, expected.size);
    await rename(part, path);
  }, { retries: 2, signal });
}

/** Writes an object to a stream, such as standard output. It cannot be resumed. */
export async function downloadTo(connection: Connection, object: Target, sink: NodeJS.WritableStream): Promise<number> {
  const response = await beginTransfer(connection, 'download', object, { headers: {} });
  let bytes = 0;
  await pipeline(response.body, counted((number) => (bytes += number)), sink, { end: false });
  const announced = headerOf(response, 'content-length');
  if (announced !== '' && Number(announced) !== bytes) throw incomplete(bytes, Number(announced));
  return bytes;
}

async function fetchRest(connection: Connection, object: Target, { size, etag }: KnownObject, { part, onBytes, signal }: { readonly part: string; readonly onBytes: OnBytes; readonly signal: AbortSignal | undefined }): Promise<void> {
  let have = await sizeOf(part);
  if (have > size) {
    await truncate(part, 0);
    have = 0;
  }
  if (have > 0) onBytes(have, true);
  if (have > 0 && have === size) return;
  let before = have;
  let arrived = 0;
  try {
    const headers = have === 0 ? {} : { 'range': `bytes=${have}-`, 'if-range': `"${plainEtag(etag)}"` };
    const response = await beginTransfer(connection, 'download', object, { headers, ...(signal !== undefined && { signal }) });
    if (plainEtag(headerOf(response, 'etag')) !== plainEtag(etag)) {
      response.body.destroy();
      throw new ClientFailure('the object was changed while it was copied', 'incomplete');
    }
    const start = response.statusCode === 206 ? have : 0;
    onBytes(start - before, true);
    before = start;
    await writeFrom(response.body, part, start, (bytes) => {
      arrived += bytes;
      onBytes(bytes);
    });
  } catch (error) {
    onBytes(-before, true);
    onBytes(-arrived);
    throw error;
  }
}

async function writeFrom(body: Readable, part: string, start: number, onBytes: OnBytes): Promise<void> {
  // A symbolic link in place of the part is not followed.
  const file = await open(part, constants.O_WRONLY | constants.O_CREAT | NOT_A_LINK);
  try {
    await file.truncate(start);
    let position = start;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
      position += chunk.length;
      onBytes(chunk.length);
    }
    await file.sync();
  } finally {
    body.destroy();
    await file.close();
  }
}

/** Passes chunks on and counts their bytes. */
export function counted(onBytes: (bytes: number) => void): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void, void> {
  return async function* count(source) {
    for await (const chunk of source) {
      onBytes(chunk.length);
      yield chunk;
    }
  };
}

/** The path of the partial file: next to the file, and specific to this version of this object. */
export function partPath(path: string, { provider, bucket, key }: Target, etag: string): string {
  const id = createHash('sha256').update(JSON.stringify([provider, bucket, key, plainEtag(etag)])).digest('hex').slice(0, 16);
  const name = `${basename(path)}.${id}.part`;
  return join(dirname(path), Buffer.byteLength(name) <= MAX_NAME_BYTES ? name : `svc.${id}.part`);
}

async function requireSize(part: string, size: number): Promise<void> {
  const have = await sizeOf(part);
  if (have !== size) throw incomplete(have, size);
}

function incomplete(have: number, size: number): ClientFailure {
  return new ClientFailure(`${have} of ${size} bytes arrived; the next try goes on from there`, 'incomplete');
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
