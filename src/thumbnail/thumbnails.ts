import { Collected } from '../bounds/collected.ts';
import { eitherSignal, type StopSignal } from '../bounds/stop-signal.ts';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Shares } from '../bounds/shares.ts';
import { SvcError } from '../errors/svc-error.ts';
import { Drawer, type DrawerOptions } from './drawer.ts';
import { LEADING_BYTES, pictureTypeOf } from './picture-type.ts';
import { UNDRAWABLE, type PictureStore } from './picture-store.ts';
import { SharedWork } from './shared-work.ts';

/** The size limit of an object; larger objects are not read. */
const MAX_BYTES = 33_554_432;
/** The maximum number of objects in memory at the same time. */
const AT_ONCE = 4;
const DRAWERS = 2;
/** Of these, one person has so many, so that others never wait for all the pictures of one person. */
const AT_ONCE_OF_A_PERSON = 3;
const DRAW_TIMEOUT_MS = 15_000;
/** How long storage may take to send a picture. One that sends a byte now and then would hold a place of everybody's for as long as somebody waits. */
const READ_TIMEOUT_MS = 60_000;
/** How long a picture that failed or took too long is not drawn again. It may have failed because the machine was busy. */
const GIVEN_UP_MS = 600_000;
const MOST_GIVEN_UP = 10_000;
/** Part of the name of each drawn picture. Increase it when drawing changes. */
const VERSION = 1;

/** One version of an object. */
export type PictureSource = {
  readonly provider: string;
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  readonly lastModified: string;
  readonly size: number;
};

export type ThumbnailsOptions = {
  readonly store: PictureStore;
  readonly warn: (message: string) => void;
  readonly readTimeoutMs?: number;
} & Partial<DrawerOptions>;

/** Makes and keeps thumbnails of objects. The caller has checked that the requester may read the object. */
export class Thumbnails {
  readonly #store: PictureStore;
  readonly #warn: (message: string) => void;
  readonly #readTimeoutMs: number;
  readonly #drawers: Drawer[];
  readonly #drawing = pLimit(DRAWERS);
  readonly #shared = new SharedWork<Buffer>(
    new Shares({
      all: AT_ONCE,
      each: AT_ONCE_OF_A_PERSON,
      tooMuch: 'too many thumbnails are being made for you; try again in a moment',
    }),
  );
  /** The reason why drawing failed, by the name of the picture. */
  readonly #givenUp = new LRUCache<string, string>({ max: MOST_GIVEN_UP, ttl: GIVEN_UP_MS });
  #unavailable = false;
  #storeFailed = false;

  constructor({ store, warn, readTimeoutMs = READ_TIMEOUT_MS, ...drawer }: ThumbnailsOptions) {
    this.#store = store;
    this.#warn = warn;
    this.#readTimeoutMs = readTimeoutMs;
    this.#drawers = Array.from({ length: DRAWERS }, () => new Drawer({ timeoutMs: DRAW_TIMEOUT_MS, ...drawer }));
  }

  /** Names the thumbnail of a version of an object: the SHA-256 of the version, 64 hexadecimal digits. */
  nameOf({ provider, bucket, key, etag, lastModified, size }: PictureSource): string {
    return createHash('sha256')
      .update(JSON.stringify([VERSION, provider, bucket, key, etag, lastModified, size]))
      .digest('hex');
  }

  /**
   * Returns the stored thumbnail, or draws it.
   *
   * @param open - opens the object that `source` describes.
   * @param asker - the person who asks, and the signal that aborts when they leave.
   * @returns a WebP.
   * @throws {SvcError} `not_supported`: the object is not a picture, is too large or broken, or the service cannot draw pictures. `rate_limited`: too many
   *   requests of the person are waiting. `storage_timeout`.
   */
  async of(
    source: PictureSource,
    open: (signal: AbortSignal) => Promise<Readable>,
    asker: { readonly person: string; readonly signal: StopSignal },
  ): Promise<Buffer> {
    if (this.#unavailable) throw cannotDraw();
    if (source.size > MAX_BYTES) throw noThumbnail(`the object is larger than ${MAX_BYTES / 1_048_576} MiB`);
    const name = this.nameOf(source);
    const why = this.#givenUp.get(name);
    if (why !== undefined) throw noThumbnail(why);
    const picture =
      (await this.#kept(name)) ?? (await this.#shared.join(name, asker, (left) => this.#drawn(name, open, left)));
    if (picture.equals(UNDRAWABLE)) throw noThumbnail('the object is no picture, has too many pixels, or is broken');
    return picture;
  }

  close(): void {
    for (const drawer of this.#drawers) drawer.close();
  }

  /** When the store fails, the picture is drawn again. */
  #kept(name: string): Promise<Buffer | undefined> {
    return this.#store.get(name).catch((error: unknown) => this.#tellOfStore(error));
  }

  async #drawn(name: string, open: (signal: AbortSignal) => Promise<Readable>, signal: AbortSignal): Promise<Buffer> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new SvcError('storage_timeout')), this.#readTimeoutMs);
    const image = await open(eitherSignal(signal, late.signal))
      .then(readPicture)
      .finally(() => clearTimeout(timer));
    signal.throwIfAborted();
    const picture = image === undefined ? UNDRAWABLE : await this.#drawing(() => this.#draw(name, image));
    await this.#store.put(name, picture).catch((error: unknown) => this.#tellOfStore(error));
    return picture;
  }

  async #draw(name: string, image: Buffer): Promise<Buffer> {
    const drawer = this.#drawers.pop();
    if (drawer === undefined) throw new Error('every drawer is at work');
    try {
      const answer = await drawer.draw(image).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        this.#givenUp.set(name, why);
        throw noThumbnail(why);
      });
      if ('picture' in answer) return Buffer.from(answer.picture);
      if ('broken' in answer) return UNDRAWABLE;
      if (!this.#unavailable)
        this.#warn(`thumbnails cannot be made, because the package \`sharp\` cannot be loaded: ${answer.unavailable}`);
      this.#unavailable = true;
      throw cannotDraw();
    } finally {
      this.#drawers.push(drawer);
    }
  }

  #tellOfStore(error: unknown): undefined {
    if (!this.#storeFailed) this.#warn(`thumbnails cannot be kept; check \`thumbnails.path\`: ${String(error)}`);
    this.#storeFailed = true;
  }
}

/** Reads a picture. @returns undefined when the content is not a supported picture, which ends reading early, or is too large. */
async function readPicture(body: Readable): Promise<Buffer | undefined> {
  const whole = new Collected();
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const isFirst = whole.bytes < LEADING_BYTES;
    whole.add(chunk);
    if (whole.bytes > MAX_BYTES) return undefined;
    if (isFirst && whole.bytes >= LEADING_BYTES && pictureTypeOf(whole.join()) === undefined) return undefined;
  }
  const image = whole.join();
  return pictureTypeOf(image) === undefined ? undefined : image;
}

function noThumbnail(why: string): SvcError {
  return new SvcError('not_supported', { detail: `there is no thumbnail: ${why}` });
}

function cannotDraw(): SvcError {
  return new SvcError('not_supported', { detail: 'thumbnails cannot be made on this machine' });
}
