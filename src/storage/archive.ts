import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Grants } from '../policy/grants.ts';
import { keyFilter } from '../policy/key-filter.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { ArchiveNames, commonFolder, outermost } from '../zip/names.ts';
import { NotIncluded, NOT_INCLUDED } from '../zip/not-included.ts';
import { zip, type ZipMember } from '../zip/zip.ts';
import { checkNames } from './address.ts';
import { heldBack } from './held-back.ts';
import { takeObject, type TakenObject } from './object-read.ts';
import type { Abortable, StorageProvider } from './provider.ts';
import { pulledStream } from './pulled-stream.ts';
import { walkObjects } from './walk.ts';

export type ArchiveRequest = Abortable & {
  readonly bucket: string;
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** Whether a key may be read (`objects:get`). Keys that may not are left out. */
  readonly permit: (key: string) => boolean;
  /** The grants of the same caller. Beneath a prefix, keys that may not be listed are left out, without a trace. */
  readonly grants: Grants;
};

/** How many objects an archive may hold: its directory is kept in memory until its end. */
const MAX_ENTRIES = 50_000;
/** Objects that are read ahead as a whole: how large each may be, how many at once, and their bytes together. */
const SMALL_BYTES = 131_072;
const MAX_AHEAD = 16;
const MAX_BYTES_AHEAD = 1_048_576;

/**
 * A ZIP stream of objects, which is made while it is read. The last file in it names the keys that may be listed and not read. It stops when it is
 * destroyed or `signal` aborts. A fault on the way destroys it, so that the download fails visibly instead of ending as an incomplete archive.
 *
 * @throws {SvcError} before the first byte: `not_found` (the first of `keys`), storage faults.
 */
export async function archive(provider: StorageProvider, request: ArchiveRequest): Promise<Readable> {
  checkNames(provider, request);
  const gone = new AbortController();
  const signal = request.signal === undefined ? gone.signal : AbortSignal.any([request.signal, gone.signal]);
  const output = pulledStream(zip(membersOf(provider, { ...request, signal })), () => gone.abort());
  signal.addEventListener('abort', () => output.destroy(), { once: true });
  await once(output, 'readable', { signal: request.signal });
  return output;
}

/** An archive without objects, for a caller who may read none of them. Storage is not asked. */
export function emptyArchive(): Readable {
  return pulledStream(zip([]));
}

async function* membersOf(provider: StorageProvider, request: ArchiveRequest): AsyncGenerator<ZipMember, void, void> {
  const { bucket, signal } = request;
  const base = commonFolder(request.keys, request.prefixes);
  const names = new ArchiveNames(base);
  const leftOut = new NotIncluded(base);
  let entries = 0;
  const take = ({ key }: Wanted) => takeObject(provider, { bucket, key }, { wholeUpTo: SMALL_BYTES, signal });
  for await (const { key, headers, body } of takenInOrder(keysOf(provider, request, leftOut), take)) {
    if (++entries > MAX_ENTRIES) throw new SvcError('payload_too_large', { detail: `an archive holds at most ${MAX_ENTRIES} objects; choose fewer` });
    const isFolder = key.endsWith('/') && headers['content-length'] === '0';
    yield { name: names.nameOf(key, isFolder), mtime: new Date(headers['last-modified'] ?? 0), body };
  }
  const text = leftOut.text();
  if (text !== undefined) yield { name: names.nameOf(base + NOT_INCLUDED, false), mtime: new Date(), body: Readable.from([Buffer.from(text)]) };
}

/** `size` in bytes, where a listing told it. A key that the caller named must exist; one that a listing found may be deleted meanwhile. */
type Wanted = { readonly key: string; readonly isNamed: boolean; readonly size: number | undefined };
type Ahead = { readonly wanted: Wanted; readonly bytes: number; taken: Promise<TakenObject | undefined> | undefined };

/** Takes objects in the order of their keys: small ones while those before them are on their way, any other when its turn comes. */
async function* takenInOrder(keys: AsyncIterator<Wanted, void>, take: (wanted: Wanted) => Promise<TakenObject>): AsyncGenerator<TakenObject & { readonly key: string }, void, void> {
  const begin = (wanted: Wanted): Promise<TakenObject | undefined> =>
    heldBack(
      take(wanted).catch((error: unknown) => {
        if (wanted.isNamed || codeOf(error) !== 'not_found') throw error;
        return undefined;
      }),
    );
  const ahead: Ahead[] = [];
  let next: Promise<IteratorResult<Wanted, void>> | undefined = heldBack(keys.next());
  for (;;) {
    const [head] = ahead;
    const taken = head && (head.taken ??= begin(head.wanted));
    if (next !== undefined && ahead.length < MAX_AHEAD && ahead.reduce((sum, { bytes }) => sum + bytes, 0) < MAX_BYTES_AHEAD) {
      // The search for a further key may take long, and holds up nothing that is there.
      const step: IteratorResult<Wanted, void> | undefined = await Promise.race([next, ...(taken === undefined ? [] : [taken.then(() => undefined)])]);
      if (step?.done === false) {
        const wanted = step.value;
        const isSmall = wanted.size !== undefined && wanted.size <= SMALL_BYTES;
        ahead.push({ wanted, bytes: isSmall ? wanted.size : Infinity, taken: isSmall ? begin(wanted) : undefined });
      }
      if (step !== undefined) next = step.done ? undefined : heldBack(keys.next());
      if (step !== undefined) continue;
    }
    if (head === undefined) return;
    ahead.shift();
    const object = await taken;
    if (object !== undefined) yield { key: head.wanted.key, ...object };
  }
}

/** Each permitted key once: the named keys, and those beneath the prefixes. The others are collected as far as they may be listed. */
async function* keysOf(provider: StorageProvider, { bucket, keys, prefixes, permit, grants, signal }: ArchiveRequest, leftOut: NotIncluded): AsyncGenerator<Wanted, void, void> {
  const named = new Set(keys);
  const mayList = keyFilter(grants, 'objects:list', { provider: provider.name, bucket });
  for (const key of named) {
    if (permit(key)) yield { key, isNamed: true, size: undefined };
    else if (mayList(key)) leftOut.add(key);
  }

  for (const prefix of outermost(prefixes)) {
    // Beneath a prefix a key must be allowed for listing, and then for reading.
    for await (const { key, size } of walkObjects(provider, { bucket, prefix, grants, signal })) {
      if (named.has(key)) continue;
      if (permit(key)) yield { key, isNamed: false, size };
      else leftOut.add(key);
    }
  }
}
