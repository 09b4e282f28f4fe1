import { createHash } from 'node:crypto';
import { constants, fstatSync, futimesSync, writeSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LimitFunction } from 'p-limit';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withRetries } from '../transfer/retry.ts';
import { ClientFailure } from './client-failure.ts';
import { headerOf, type Connection } from './connection.ts';
import { HeldFolder } from './held-folder.ts';
import { objectTime, timeIn, type ObjectTime } from './modification-time.ts';
import type { Target } from '../transfer/transport.ts';
import { plainEtag } from '../transfer/plain-etag.ts';
import { beginTransfer, type VersionTarget } from './transfer-request.ts';

/** The version of an object when the transfer was planned. */
export type KnownObject = { readonly size: number; readonly etag: string; readonly lastModified?: string | null };

/** @param wasThere - whether the bytes are from an earlier run. */
export type OnBytes = (bytes: number, wasThere?: boolean) => void;

/** So little is written at once, because the threads may be busy with the sync of other files. */
const SMALL_BYTES = 65_536;
const MAX_NAME_BYTES = 255;
/** The end of the name of each partial file. */
const PART_NAME = /\.[0-9a-f]{16}\.part$/;
/** Windows has neither flag. A symbolic link is not followed, and a named pipe is not waited for. */
const { O_NOFOLLOW: NOT_A_LINK = 0, O_NONBLOCK: NOT_WAITING = 0 } = constants as {
  readonly O_NOFOLLOW?: number;
  readonly O_NONBLOCK?: number;
};

/**
 * Downloads an object to a file. Received bytes are kept in a `.part` file next to it, from which the next try continues as long as the object is unchanged.
 * The file itself appears whole. None gets the name of a partial file: what it contains would be taken for what has arrived of another object.
 *
 * @param signal - aborts the download and keeps the received bytes.
 * @param into - `keepsTime`: the file gets the modification time that is kept with the object. `openFolder` opens the folder of the file, and `beforeReplace` is
 * called right before the file appears at the path that it is given. `retries` is for a caller that goes on by itself afterwards. `requests` limits the requests of
 * all downloads together.
 * @throws {ClientFailure} `file_changed` when the folder has become another one, such as by a link in its place. `unsafe_name`.
 */
export async function downloadObject(
  connection: Connection,
  object: VersionTarget,
  known: KnownObject,
  path: string,
  onBytes: OnBytes,
  signal?: AbortSignal,
  into: {
    readonly keepsTime?: boolean;
    readonly retries?: number;
    readonly openFolder?: () => Promise<HeldFolder>;
    readonly beforeReplace?: (at: string) => Promise<void>;
    readonly requests?: LimitFunction;
  } = {},
): Promise<void> {
  // In both letter cases, because some systems take them for one name.
  if (PART_NAME.test(basename(path).toUpperCase().toLowerCase()))
    throw new ClientFailure(
      `only unfinished downloads are named like \`${basename(path)}\`; copy it alone, to another name`,
      'unsafe_name',
    );
  const { provider, bucket, key, version } = object;
  let expected = known;
  const folder = await (into.openFolder?.() ?? HeldFolder.open(dirname(path)));
  try {
    await withRetries(
      async (attempt) => {
        if (attempt > 1)
          expected = await connection.call('object/head', {
            provider,
            bucket,
            key,
            ...(version !== undefined && { version }),
          });
        const partial = basename(partPath(path, object, expected.etag));
        const { part, have } = await folder.use((at) => openPart(at, partial, path));
        try {
          const fetch = async () => {
            const told = await fetchRest(connection, object, expected, { part, have, onBytes, signal });
            return into.keepsTime === true ? (told ?? (await objectTime(connection, object))) : undefined;
          };
          const time = await (into.requests?.(fetch) ?? fetch());
          await part.sync();
          // As text, because Node takes a number below zero for the present.
          if (time !== undefined) futimesSync(part.fd, new Date(), String(time.ms / 1000));
        } catch (error) {
          if (fstatSync(part.fd).size === 0) await folder.use((at) => rm(join(at, partial), { force: true }));
          throw error;
        } finally {
          await part.close();
        }
        await folder.use(async (at) => {
          const whole = join(at, basename(path));
          await into.beforeReplace?.(whole);
          await rename(join(at, partial), whole).catch((error: unknown) => {
            throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? takenByAnother(path) : error;
          });
        });
      },
      { retries: into.retries, signal, onRetry: connection.onRetry },
    );
  } finally {
    folder.close();
  }
}

/** Writes an object to a stream, such as standard output. It cannot be resumed. */
export async function downloadTo(
  connection: Connection,
  object: VersionTarget,
  sink: NodeJS.WritableStream,
): Promise<number> {
  const response = await beginTransfer(connection, 'download', object, { headers: {} });
  let bytes = 0;
  await pipeline(
    response.body,
    async function* count(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        bytes += chunk.length;
        yield chunk;
      }
    },
    sink,
    { end: false },
  );
  const announced = headerOf(response, 'content-length');
  if (announced !== '' && Number(announced) !== bytes) throw incomplete(bytes, Number(announced));
  return bytes;
}

/** What has arrived of an object: the first `have` bytes. */
type OpenPart = { readonly part: FileHandle; readonly have: number };

/** Opens what has arrived of an object, or begins it. @throws {ClientFailure} when something else is there, which is neither read nor changed. */
async function openPart(folder: string, name: string, whole: string): Promise<OpenPart> {
  const refusal = () =>
    new ClientFailure(`\`${join(dirname(whole), name)}\` is in the way: it is not a regular file of yours; remove it`);
  const part = await open(join(folder, name), constants.O_RDWR | constants.O_CREAT | NOT_A_LINK | NOT_WAITING).catch(
    (error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? refusal() : error;
    },
  );
  const found = fstatSync(part.fd);
  if (found.isFile() && found.nlink === 1 && found.uid === (process.getuid?.() ?? found.uid))
    return { part, have: found.size };
  await part.close();
  throw refusal();
}

/** @returns the modification time of the object; undefined when nothing was missing. */
async function fetchRest(
  connection: Connection,
  object: VersionTarget,
  { size, etag }: KnownObject,
  { part, have, onBytes, signal }: OpenPart & { readonly onBytes: OnBytes; readonly signal: AbortSignal | undefined },
): Promise<ObjectTime | undefined> {
  // Shortened only here: another run may be ahead in the same file, or may have finished it.
  if (have > size) {
    await part.truncate(0);
    have = 0;
  }
  if (have > 0) onBytes(have, true);
  if (have > 0 && have === size) return undefined;
  let before = have;
  let arrived = 0;
  try {
    const headers = have === 0 ? {} : { range: `bytes=${have}-`, 'if-range': `"${plainEtag(etag)}"` };
    const response = await beginTransfer(connection, 'download', object, {
      headers,
      ...(signal !== undefined && { signal }),
    });
    if (plainEtag(headerOf(response, 'etag')) !== plainEtag(etag)) {
      response.body.destroy();
      throw new ClientFailure('the object was changed while it was copied', 'incomplete');
    }
    if (response.statusCode === 206 && !headerOf(response, 'content-range').startsWith(`bytes ${have}-`)) {
      response.body.destroy();
      throw new ClientFailure(
        'the service did not answer with the range that it was asked for; check what lies between it and this machine, and between it and storage',
      );
    }
    const start = response.statusCode === 206 ? have : 0;
    onBytes(start - before, true);
    before = start;
    const end = await writeFrom(response.body, part, { start, size }, (bytes) => {
      arrived += bytes;
      onBytes(bytes);
    });
    if (end !== size) throw incomplete(end, size);
    return timeIn(response);
  } catch (error) {
    onBytes(-before, true);
    onBytes(-arrived);
    throw error;
  }
}

/** @returns the position after the last byte. */
async function writeFrom(
  body: Readable,
  part: FileHandle,
  { start, size }: { readonly start: number; readonly size: number },
  onBytes: OnBytes,
): Promise<number> {
  try {
    let position = start;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (position + chunk.length > size) {
        await part.truncate(0);
        throw new ClientFailure(`the service sends more than the ${size} bytes that the object has`);
      }
      for (let done = 0; done < chunk.length;) {
        const rest = [chunk, done, chunk.length - done, position + done] as const;
        done += size <= SMALL_BYTES ? writeSync(part.fd, ...rest) : (await part.write(...rest)).bytesWritten;
      }
      position += chunk.length;
      onBytes(chunk.length);
    }
    return position;
  } finally {
    body.destroy();
  }
}

/** The path of the partial file: next to the file, and specific to this version of this object. */
export function partPath(path: string, { provider, bucket, key }: Target, etag: string): string {
  const id = createHash('sha256')
    .update(JSON.stringify([provider, bucket, key, plainEtag(etag)]))
    .digest('hex')
    .slice(0, 16);
  const name = `${basename(path)}.${id}.part`;
  return join(dirname(path), Buffer.byteLength(name) <= MAX_NAME_BYTES ? name : `svc.${id}.part`);
}

function takenByAnother(path: string): ClientFailure {
  return new ClientFailure(
    `another run that copies to \`${path}\` has taken what this one received; look there, and copy again if the file is missing`,
  );
}

function incomplete(have: number, size: number): ClientFailure {
  return new ClientFailure(`${have} of ${size} bytes arrived; the next try goes on from there`, 'incomplete');
}
