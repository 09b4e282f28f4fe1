import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Grants } from '../policy/grants.ts';
import { keyFilter } from '../policy/key-filter.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { checkBucket, checkKey, checkPrefix } from './address.ts';
import { ArchiveNames, commonFolder, outermost } from './archive-names.ts';
import { NotIncluded, NOT_INCLUDED } from './not-included.ts';
import { getObject, type ObjectRead } from './object-read.ts';
import type { Abortable, StorageProvider } from './provider.ts';
import { walkKeys } from './walk.ts';

export type ArchiveRequest = Abortable & {
  readonly bucket: string;
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** Whether a key may be read (`objects:get`). Keys that may not are left out. */
  readonly permit: (key: string) => boolean;
  /** The grants of the same caller. Beneath a prefix, keys that may not be listed are left out, without a trace. */
  readonly grants: Grants;
};

/** How many objects an archive may hold: the writer keeps an entry for each in memory, and goes through all entries for each further one. */
const MAX_ENTRIES = 50_000;
/** A fast compression level, which is enough for text; most large objects are compressed already. */
const COMPRESSION_LEVEL = 1;

/**
 * A ZIP stream of objects, which is made while it is read. The last file in it names the keys that may be listed and not read. It stops when it is destroyed or `signal` aborts. A fault on the way destroys
 * it, so that the download fails visibly instead of ending as an incomplete archive.
 *
 * @throws {SvcError} before the first byte: `not_found` (the first of `keys`), storage faults.
 */
export async function archive(provider: StorageProvider, request: ArchiveRequest): Promise<Readable> {
  checkBucket(request.bucket);
  for (const key of request.keys) checkKey(provider, key);
  for (const prefix of request.prefixes) checkPrefix(provider, prefix);

  const gone = new AbortController();
  const signal = request.signal === undefined ? gone.signal : AbortSignal.any([request.signal, gone.signal]);
  const base = commonFolder(request.keys, request.prefixes);
  const names = new ArchiveNames(base);
  const leftOut = new NotIncluded(base);
  const members = openMembers(provider, { ...request, signal }, names, leftOut);
  const first = await members.next();

  const zip = new ZipFile();
  const output = zip.outputStream as unknown as Readable;
  output.once('close', () => gone.abort());
  // A fault after the reader has left must not become an uncaught error.
  output.on('error', () => undefined);
  zip.once('error', (error: Error) => output.destroy(error));
  signal.addEventListener('abort', () => output.destroy(), { once: true });
  const finish = () => {
    const text = leftOut.text();
    if (text !== undefined) zip.addBuffer(Buffer.from(text), names.nameOf(base + NOT_INCLUDED, false));
    zip.end();
  };
  void fill(zip, output, first, members).then(finish).catch((error: unknown) => output.destroy(error as Error));
  return output;
}

/** An archive without objects, for a caller who may read none of them. Storage is not asked. */
export function emptyArchive(): Readable {
  const zip = new ZipFile();
  zip.end();
  return zip.outputStream as unknown as Readable;
}

type Member = { readonly name: string; readonly opened: ObjectRead };

async function fill(zip: ZipFile, output: Readable, first: IteratorResult<Member, void>, members: AsyncGenerator<Member, void, void>): Promise<void> {
  for (let step = first; !step.done; step = await members.next()) {
    const { name, opened } = step.value;
    const mtime = new Date(opened.headers['last-modified'] ?? 0);
    const { body } = opened;
    if (name.endsWith('/') || body === undefined) {
      body?.destroy();
      zip.addEmptyDirectory(name, { mtime });
      continue;
    }
    const close = (): void => void body.destroy();
    output.once('close', close);
    const length = opened.headers['content-length'];
    zip.addReadStream(body, name, { mtime, compressionLevel: COMPRESSION_LEVEL, ...(length !== undefined && { size: Number(length) }) });
    await finished(body);
    output.off('close', close);
  }
}

/** Opens one object after the other. A key that the caller named must exist; a key that a listing found may be deleted meanwhile. */
async function* openMembers(provider: StorageProvider, request: ArchiveRequest, names: ArchiveNames, leftOut: NotIncluded): AsyncGenerator<Member, void, void> {
  const { bucket, signal } = request;
  let entries = 0;
  for await (const { key, named } of keysOf(provider, request, leftOut)) {
    if (++entries > MAX_ENTRIES) throw new SvcError('payload_too_large', { detail: `an archive holds at most ${MAX_ENTRIES} objects; choose fewer` });
    try {
      const opened = await getObject(provider, { bucket, key }, { signal });
      const isFolder = key.endsWith('/') && opened.headers['content-length'] === '0';
      yield { name: names.nameOf(key, isFolder), opened };
    } catch (error) {
      if (named || codeOf(error) !== 'not_found') throw error;
    }
  }
}

/** Each permitted key once: the named keys, and those beneath the prefixes. The others are collected as far as they may be listed. */
async function* keysOf(provider: StorageProvider, { bucket, keys, prefixes, permit, grants, signal }: ArchiveRequest, leftOut: NotIncluded): AsyncGenerator<{ key: string; named: boolean }, void, void> {
  const named = new Set(keys);
  const mayList = keyFilter(grants, 'objects:list', { provider: provider.name, bucket });
  for (const key of named) {
    if (permit(key)) yield { key, named: true };
    else if (mayList(key)) leftOut.add(key);
  }

  for (const prefix of outermost(prefixes)) {
    // Beneath a prefix a key must be allowed for listing, and then for reading.
    for await (const { key } of walkKeys(provider, { bucket, prefix, grants, signal }, 'objects:list')) {
      if (named.has(key)) continue;
      if (permit(key)) yield { key, named: false };
      else leftOut.add(key);
    }
  }
}
