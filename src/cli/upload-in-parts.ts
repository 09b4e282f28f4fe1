import { open, stat } from 'node:fs/promises';
import { codeOf } from '../errors/svc-error.ts';
import { partBytesFor, planParts, type PlannedPart } from '../wire/upload-parts.ts';
import { CliFailure, EXIT } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import type { OnBytes } from './download.ts';
import { bodyOf, fileChanged } from './file-body.ts';
import { remoteObject } from './listing.ts';
import { inParallel } from './parallel.ts';
import type { KeyPath } from './remote-path.ts';
import type { FileMark, RememberedUpload, RememberedUploads } from './remembered-uploads.ts';
import { mayPass, retrying } from './retry.ts';
import type { Slots } from './slots.ts';
import { count } from './text.ts';
import { beginTransfer } from './transfer-request.ts';

/** Long enough for a server to be started again. */
const PART_PAUSES_MS = [500, 2000, 5000, 10_000];

const KEPT = 'what has arrived is kept; give the same command again to send the rest';

export type PartsOptions = {
  readonly contentType: string;
  readonly remembered: RememberedUploads;
  readonly slots: Slots;
  readonly onBytes: OnBytes;
  readonly say: (line: string) => void;
};

/**
 * Uploads a file in parts, several at once. Begun before and broken off, it goes on with the parts that are missing, provided that the file
 * is still the same. What the service refuses for good is dropped, so that no part stays in storage.
 *
 * @returns the file's size in bytes.
 */
export async function uploadInParts(connection: Connection, path: string, object: KeyPath, options: PartsOptions): Promise<number> {
  return new PartsUpload(connection, path, object, options).run();
}

type ArrivedPart = { readonly number: number; readonly size: number; readonly etag: string };

/** An upload that the service has, and the parts of it that have arrived. */
type Begun = RememberedUpload & { readonly arrived: readonly ArrivedPart[] };

class PartsUpload {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #object: KeyPath;
  readonly #options: PartsOptions;
  readonly #names: { readonly provider: string; readonly bucket: string; readonly key: string };

  constructor(connection: Connection, path: string, object: KeyPath, options: PartsOptions) {
    this.#connection = connection;
    this.#path = path;
    this.#object = object;
    this.#options = options;
    this.#names = { provider: object.provider, bucket: object.bucket, key: object.key };
  }

  async run(): Promise<number> {
    const mark = markOf(await stat(this.#path));
    const upload = (await this.#continued(mark)) ?? (await this.#begun(mark));
    try {
      const sent = await this.#sendMissing(upload);
      if (!isSame(upload, markOf(await stat(this.#path)))) throw fileChanged();
      await this.#complete(upload, [...upload.arrived, ...sent]);
    } catch (error) {
      await this.#leave(upload, error);
      throw error;
    }
    await this.#forget();
    return mark.size;
  }

  /** The upload of this very file that was begun before, unless storage has dropped it. */
  async #continued(mark: FileMark): Promise<Begun | undefined> {
    const { remembered, contentType, say, onBytes } = this.#options;
    const known = await remembered.find(this.#path, this.#object);
    if (known === undefined) return undefined;
    if (!isSame(known, mark) || known.contentType !== contentType) {
      say('has changed since its upload broke off, which begins anew');
      await retrying(() => this.#connection.call('upload/abort', this.#named(known)));
      await this.#forget();
      return undefined;
    }
    const parts = await this.#arrived(known).catch((error: unknown) => {
      say(KEPT);
      throw error;
    });
    if (parts === undefined) {
      await this.#forget();
      return undefined;
    }
    const planned = planParts(mark.size, known.partBytes);
    const arrived = parts.filter((part) => planned.some((one) => one.number === part.number && sizeOf(one) === part.size));
    say(`goes on with the upload that broke off: ${arrived.length} of ${count(planned.length, 'part')} have arrived`);
    onBytes(arrived.reduce((sum, { size }) => sum + size, 0), true);
    return { ...known, arrived };
  }

  async #begun(mark: FileMark): Promise<Begun> {
    const { remembered, contentType, say } = this.#options;
    const { id: uploadId } = await retrying(() => this.#connection.call('upload/create', { ...this.#names, contentType }));
    const upload: RememberedUpload = { ...mark, uploadId, partBytes: partBytesFor(mark.size), contentType, begunAt: new Date().toISOString() };
    try {
      await remembered.remember(this.#path, this.#object, upload);
    } catch (error) {
      say(`cannot go on later if it breaks off: ${error instanceof Error ? error.message : String(error)}`);
    }
    return { ...upload, arrived: [] };
  }

  /** The first failure stops the others; all have ended when it is thrown. */
  async #sendMissing(upload: Begun): Promise<ArrivedPart[]> {
    const have = new Set(upload.arrived.map(({ number }) => number));
    const missing = planParts(upload.size, upload.partBytes).filter(({ number }) => !have.has(number));
    const stop = new AbortController();
    const { signal } = stop;
    const sent: ArrivedPart[] = [];
    await inParallel(missing, this.#options.slots.count, async (part) => {
      try {
        signal.throwIfAborted();
        sent.push(await retrying(() => this.#options.slots.use(() => this.#sendPart(upload, part, signal)), { pausesMs: PART_PAUSES_MS, signal }));
      } catch (error) {
        stop.abort(error);
        throw signal.reason;
      }
    });
    return sent;
  }

  async #sendPart(upload: RememberedUpload, part: PlannedPart, signal: AbortSignal): Promise<ArrivedPart> {
    signal.throwIfAborted();
    const { onBytes } = this.#options;
    const file = await open(this.#path, 'r');
    let sent = 0;
    try {
      if (!isSame(upload, markOf(await file.stat()))) throw fileChanged();
      const body = bodyOf(file, part, (bytes) => {
        sent += bytes;
        onBytes(bytes);
      });
      const request = { headers: { 'content-length': String(sizeOf(part)) }, body, upload: { id: upload.uploadId, part: part.number }, signal };
      const response = await beginTransfer(this.#connection, 'upload', this.#object, request);
      return (await response.body.json()) as ArrivedPart;
    } catch (error) {
      onBytes(-sent);
      // Not found is an upload that is gone, or a ticket that the server lost when it was started again.
      if (codeOf(error) === 'not_found' && (await this.#arrived(upload)) !== undefined) throw new CliFailure(EXIT.failed, 'the service has lost a ticket', 'incomplete');
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Names every part, so that what is joined is the file. */
  async #complete(upload: RememberedUpload, arrived: readonly ArrivedPart[]): Promise<void> {
    const parts = arrived.map(({ number, etag }) => ({ number, etag })).sort((a, b) => a.number - b.number);
    let tries = 0;
    try {
      const { size } = await retrying(() => {
        tries += 1;
        return this.#connection.call('upload/complete', { ...this.#named(upload), parts });
      }, { pausesMs: PART_PAUSES_MS });
      if (size !== upload.size) throw new CliFailure(EXIT.failed, `the object has ${size} bytes instead of ${upload.size}; copy the file again`, 'wrong_size');
    } catch (error) {
      // When an answer was lost, the upload is gone because the object stands.
      const lost = tries > 1 && codeOf(error) === 'not_found';
      if (!lost || (await remoteObject(this.#connection, this.#object))?.size !== upload.size) throw error;
    }
  }

  /** What may pass, goes away with a sign-in, or lacks a part, leaves the parts for the next time; anything else drops them. */
  async #leave(upload: RememberedUpload, error: unknown): Promise<void> {
    const { remembered, say } = this.#options;
    const isRemembered = (await remembered.find(this.#path, this.#object))?.uploadId === upload.uploadId;
    if (isRemembered && (mayPass(error) || codeOf(error) === 'session_required' || codeOf(error) === 'conflict' || isSystemFault(error))) {
      say(KEPT);
      return;
    }
    try {
      await retrying(() => this.#connection.call('upload/abort', this.#named(upload)));
    } catch {
      // It stays remembered: the same command goes on, or drops it then.
      return;
    }
    await this.#forget();
  }

  /** By number; undefined when storage knows the upload no more. */
  async #arrived(upload: RememberedUpload): Promise<readonly ArrivedPart[] | undefined> {
    try {
      return (await retrying(() => this.#connection.call('upload/get', this.#named(upload)), { pausesMs: PART_PAUSES_MS })).parts;
    } catch (error) {
      if (codeOf(error) === 'not_found') return undefined;
      throw error;
    }
  }

  #named({ uploadId: id }: RememberedUpload) {
    return { ...this.#names, id };
  }

  #forget(): Promise<void> {
    return this.#options.remembered.forget(this.#path, this.#object);
  }
}

function markOf({ size, mtimeMs }: FileMark): FileMark {
  return { size, mtimeMs };
}

function isSame(a: FileMark, b: FileMark): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function sizeOf({ start, end }: PlannedPart): number {
  return end - start;
}

/** This machine's own trouble, such as a network disk that is away. A file that is gone does not come back. */
function isSystemFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && (error as NodeJS.ErrnoException).code !== 'ENOENT';
}
