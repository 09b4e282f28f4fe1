import type { HoldWhile } from '../bounds/shares.ts';
import { eitherSignal, wholeSignal } from '../bounds/stop-signal.ts';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Grants } from '../policy/index/grants.ts';
import { keyFilter } from '../policy/listing/key-filter.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { ArchiveNames, commonFolder, outermost } from '../zip/names.ts';
import { NotIncluded, NOT_INCLUDED } from '../zip/not-included.ts';
import { zip, type ZipMember } from '../zip/zip.ts';
import { suppressUnhandledRejection } from './suppress-unhandled-rejection.ts';
import { getWholeObject, type WholeObject } from './object-read.ts';
import type { LongQuestion, BucketRef, ObjectRef } from './provider.ts';
import { pulledStream } from './pulled-stream.ts';
import { walkObjects } from './walk.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export type ArchiveRequest = LongQuestion & {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** The object of a key that may be read (`objects:get`). Other keys are left out. */
  readonly permit: (key: string) => Permitted<ObjectRef> | undefined;
  /** The grants of the same caller. Beneath a prefix, keys that the caller may not list are left out and not mentioned. */
  readonly grants: Grants;
  /** Takes memory until the archive has ended. An error ends the archive. */
  readonly hold: HoldWhile;
};

/** How many objects an archive may contain, and about how many bytes their names may take: the ZIP directory is kept in memory until the end. */
const MAX_ENTRIES = 50_000;
const MAX_NAMES_BYTES = 33_554_432;
/** Memory for names is taken in pieces of this many bytes, so that a usual archive takes none. */
const NAMES_PIECE_BYTES = 1_048_576;
/** Limits for small objects that are read ahead as a whole: the size of each, their number, and their total size in bytes. */
const SMALL_BYTES = 131_072;
const MAX_AHEAD = 16;
const MAX_BYTES_AHEAD = 1_048_576;
/** What an archive holds for a slow reader, about. Reading ahead needs several connections for a moment. */
export const ARCHIVE_HOLDS = { bytes: 2 * MAX_BYTES_AHEAD, connections: MAX_AHEAD / 4 };

/**
 * Returns a ZIP stream of objects, which is produced while it is read. Its last file names the keys that may be listed but not read. The stream stops when it
 * is destroyed or `signal` aborts. A fault destroys it, so that the download fails visibly instead of ending as an incomplete archive.
 *
 * @throws {SvcError} before the first byte: `not_found` (the first of `keys`), storage faults.
 */
export async function archive(bucket: Permitted<BucketRef>, request: ArchiveRequest): Promise<Readable> {
  const gone = new AbortController();
  const signal = eitherSignal(request.signal, gone.signal);
  const output = pulledStream(zip(membersOf(bucket, { ...request, signal })), () => gone.abort());
  signal.addEventListener('abort', () => output.destroy(), { once: true });
  await once(output, 'readable', { signal: request.signal && wholeSignal(request.signal) });
  return output;
}

/** An archive without objects, for a caller who may read none of them. Storage is not asked. */
export function emptyArchive(): Readable {
  return pulledStream(zip([]));
}

async function* membersOf(bucket: BucketRef, request: ArchiveRequest): AsyncGenerator<ZipMember, void, void> {
  const base = commonFolder(request.keys, request.prefixes);
  const names = new ArchiveNames(base);
  const leftOut = new NotIncluded(base);
  let entries = 0;
  let namesBytes = NAMES_PIECE_BYTES;
  const take = ({ object }: Wanted) => getWholeObject(object, { wholeUpTo: SMALL_BYTES, signal: request.signal });
  for await (const { key, headers, body } of takenInOrder(objectsOf(bucket, request, leftOut), take)) {
    if (++entries > MAX_ENTRIES) throw tooLarge(`an archive holds at most ${MAX_ENTRIES} objects; choose fewer`);
    const isFolder = key.endsWith('/') && headers['content-length'] === '0';
    // The name of a key with hundreds of folders takes half a millisecond, and sixteen may be ready at once.
    await yieldToEventLoop();
    const name = names.nameOf(key, isFolder);
    for (; names.bytes > namesBytes; namesBytes += NAMES_PIECE_BYTES) {
      if (namesBytes >= MAX_NAMES_BYTES)
        throw tooLarge('the names of the objects and of their folders are too long for one archive; choose fewer');
      await request.hold(NAMES_PIECE_BYTES);
    }
    yield { name, mtime: new Date(headers['last-modified'] ?? 0), body };
  }
  const text = leftOut.text();
  if (text !== undefined)
    yield {
      name: names.nameOf(base + NOT_INCLUDED, false),
      mtime: new Date(),
      body: Readable.from([Buffer.from(text)]),
    };
}

function tooLarge(detail: string): SvcError {
  return new SvcError('payload_too_large', { detail });
}

/** `size` is in bytes, when a listing gave it. A key that the caller named must exist; one from a listing may have been deleted in the meantime. */
type Wanted = { readonly object: Permitted<ObjectRef>; readonly isNamed: boolean; readonly size: number | undefined };
type Ahead = { readonly wanted: Wanted; readonly bytes: number; taken: Promise<WholeObject | undefined> | undefined };

/** Yields objects in the order of their keys. Small ones are requested while earlier ones are still being sent, others when their turn comes. */
async function* takenInOrder(
  keys: AsyncIterator<Wanted, void>,
  take: (wanted: Wanted) => Promise<WholeObject>,
): AsyncGenerator<WholeObject & { readonly key: string }, void, void> {
  const begin = (wanted: Wanted): Promise<WholeObject | undefined> =>
    suppressUnhandledRejection(
      take(wanted).catch((error: unknown) => {
        if (wanted.isNamed || codeOf(error) !== 'not_found') throw error;
        return undefined;
      }),
    );
  const ahead: Ahead[] = [];
  let next: Promise<IteratorResult<Wanted, void>> | undefined = suppressUnhandledRejection(keys.next());
  for (;;) {
    const [head] = ahead;
    const taken = head && (head.taken ??= begin(head.wanted));
    if (
      next !== undefined &&
      ahead.length < MAX_AHEAD &&
      ahead.reduce((sum, { bytes }) => sum + bytes, 0) < MAX_BYTES_AHEAD
    ) {
      // Finding a further key may take long and must not delay an object that is ready.
      const step: IteratorResult<Wanted, void> | undefined = await Promise.race([
        next,
        ...(taken === undefined ? [] : [taken.then(() => undefined)]),
      ]);
      if (step?.done === false) {
        const wanted = step.value;
        const isSmall = wanted.size !== undefined && wanted.size <= SMALL_BYTES;
        ahead.push({ wanted, bytes: isSmall ? wanted.size : Infinity, taken: isSmall ? begin(wanted) : undefined });
      }
      if (step !== undefined) next = step.done ? undefined : suppressUnhandledRejection(keys.next());
      if (step !== undefined) continue;
    }
    if (head === undefined) return;
    ahead.shift();
    const object = await taken;
    if (object !== undefined) yield { key: head.wanted.object.key, ...object };
  }
}

/** Yields each permitted object once: the named keys, then those beneath the prefixes. Keys that may be listed but not read are added to `leftOut`. */
async function* objectsOf(
  { provider, bucket }: BucketRef,
  { keys, prefixes, permit, grants, signal, hold }: ArchiveRequest,
  leftOut: NotIncluded,
): AsyncGenerator<Wanted, void, void> {
  const named = new Set(keys);
  const mayList = keyFilter(grants, 'objects:list', { provider: provider.name, bucket });
  for (const key of named) {
    const object = permit(key);
    if (object !== undefined) yield { object, isNamed: true, size: undefined };
    else if (mayList(key)) leftOut.add(key);
  }

  for (const prefix of outermost(prefixes)) {
    // Beneath a prefix a key must be allowed for listing and for reading.
    for await (const { key, size } of walkObjects({ provider, bucket, prefix }, { grants, signal, hold })) {
      if (named.has(key)) continue;
      const object = permit(key);
      if (object !== undefined) yield { object, isNamed: false, size };
      else leftOut.add(key);
    }
  }
}
