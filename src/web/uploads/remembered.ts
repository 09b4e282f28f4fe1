import type { Target } from './transport.ts';

const ENTRY = 'svc.uploads';
const LIFETIME_MS = 7 * 24 * 3_600_000;
const MOST = 200;

/** What a browser can know of a file before and after a reload. */
export type FileMark = { readonly name: string; readonly size: number; readonly lastModified: number };

/** A multipart upload that can go on once the same file is chosen again. Holds no credential and no content. */
export type RememberedUpload = {
  readonly owner: string;
  readonly target: Target;
  readonly uploadId: string;
  readonly partBytes: number;
  readonly file: FileMark;
  readonly startedAtMs: number;
};

/** The part of `localStorage` that is needed. */
export type TextStore = { getItem(key: string): string | null; setItem(key: string, value: string): void };

/** Uploads that were begun and are not complete, kept by the browser across reloads; each belongs to the user who began it. */
export class RememberedUploads {
  readonly #store: TextStore;
  readonly #owner: () => string;
  readonly #now: () => number;

  /** @param owner - tells issuer and subject of the user. */
  constructor(store: TextStore, owner: () => string, now: () => number = Date.now) {
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
  }

  list(): RememberedUpload[] {
    return this.#all().filter((upload) => upload.owner === this.#owner());
  }

  /** The upload of this very file to this very place, if one was begun. */
  find(target: Target, file: FileMark): RememberedUpload | undefined {
    return this.list().find((upload) => isSamePlace(upload.target, target) && isSameFile(upload.file, file));
  }

  remember(upload: Omit<RememberedUpload, 'owner' | 'startedAtMs'>): void {
    const others = this.#all().filter((other) => other.uploadId !== upload.uploadId);
    this.#write([...others, { ...upload, owner: this.#owner(), startedAtMs: this.#now() }].slice(-MOST));
  }

  forget(uploadId: string): void {
    this.#write(this.#all().filter((upload) => upload.uploadId !== uploadId));
  }

  #all(): RememberedUpload[] {
    try {
      const kept: unknown = JSON.parse(this.#store.getItem(ENTRY) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isRememberedUpload).filter((upload) => upload.startedAtMs > this.#now() - LIFETIME_MS) : [];
    } catch {
      return [];
    }
  }

  #write(uploads: readonly RememberedUpload[]): void {
    try {
      this.#store.setItem(ENTRY, JSON.stringify(uploads));
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
