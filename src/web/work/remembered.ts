import type { BegunUpload, FileMark, Memory } from '../../transfer/memory.ts';
import type { Target } from '../../transfer/transport.ts';

const ENTRY = 'svc.uploads';
const LIFETIME_MS = 7 * 24 * 3_600_000;
const MOST = 200;

/** An upload in parts that can go on once the same file is chosen again. */
export type RememberedUpload = BegunUpload & { readonly owner: string; readonly target: Target; readonly file: FileMark; readonly startedAtMs: number };

/** The part of `localStorage` that is needed. */
export type TextStore = { getItem(key: string): string | null; setItem(key: string, value: string): void };

/** Uploads that were begun and are not complete, kept by the browser across reloads; each belongs to the user who began it. */
export class RememberedUploads implements Memory {
  readonly #store: () => TextStore;
  readonly #owner: () => string;
  readonly #now: () => number;
  /** Those that this page began or went on with, also where the browser keeps nothing. */
  #ofThisPage: readonly RememberedUpload[] = [];

  /** @param store - throws where the browser keeps nothing; @param owner - tells issuer and subject of the user. */
  constructor(store: () => TextStore, owner: () => string, now: () => number = Date.now) {
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
  }

  /** Those that are kept across reloads. */
  list(): RememberedUpload[] {
    return this.#all().filter(({ owner }) => owner === this.#owner());
  }

  /** The upload of this very file to this very place, if one was begun. */
  async find(file: FileMark, target: Target): Promise<(BegunUpload & { readonly isCurrent: true }) | undefined> {
    const found = [...this.#ofThisPage, ...this.#all()].find(this.#isOf(file, target));
    return found && { uploadId: found.uploadId, partBytes: found.partBytes, isCurrent: true };
  }

  async remember({ name, size, lastModified }: FileMark, target: Target, { uploadId, partBytes }: BegunUpload): Promise<void> {
    const upload = { target, uploadId, partBytes, file: { name, size, lastModified }, owner: this.#owner(), startedAtMs: this.#now() };
    this.#ofThisPage = [...this.#ofThisPage, upload];
    this.#write([...this.#all(), upload].slice(-MOST));
  }

  async forget(file: FileMark, target: Target): Promise<void> {
    const isOf = this.#isOf(file, target);
    this.#ofThisPage = this.#ofThisPage.filter((upload) => !isOf(upload));
    this.#write(this.#all().filter((upload) => !isOf(upload)));
  }

  #isOf(file: FileMark, target: Target): (upload: RememberedUpload) => boolean {
    const me = this.#owner();
    return ({ owner, ...upload }) => owner === me && isSamePlace(upload.target, target) && isSameFile(upload.file, file);
  }

  #all(): RememberedUpload[] {
    try {
      const kept: unknown = JSON.parse(this.#store().getItem(ENTRY) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isRememberedUpload).filter((upload) => upload.startedAtMs > this.#now() - LIFETIME_MS) : [];
    } catch {
      return [];
    }
  }

  #write(uploads: readonly RememberedUpload[]): void {
    try {
      this.#store().setItem(ENTRY, JSON.stringify(uploads));
    } catch {
      // A browser that keeps nothing (full, or private mode) can still upload; only resuming after a reload is lost.
    }
  }
}

export function isSameFile(a: FileMark, b: FileMark): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

/** Those that no upload of this page goes on with. */
export function withoutThoseUnderway(remembered: readonly RememberedUpload[], uploads: readonly { readonly target: Target }[]): RememberedUpload[] {
  return remembered.filter(({ target }) => !uploads.some((upload) => isSamePlace(upload.target, target)));
}

function isSamePlace(a: Target, b: Target): boolean {
  return a.provider === b.provider && a.bucket === b.bucket && a.key === b.key;
}

function isRememberedUpload(value: unknown): value is RememberedUpload {
  const upload = value as Partial<RememberedUpload> | null;
  return (
    typeof upload === 'object' &&
    upload !== null &&
    typeof upload.owner === 'string' &&
    typeof upload.uploadId === 'string' &&
    typeof upload.partBytes === 'number' &&
    upload.partBytes > 0 &&
    typeof upload.startedAtMs === 'number' &&
    typeof upload.target?.key === 'string' &&
    typeof upload.file?.name === 'string'
  );
}
