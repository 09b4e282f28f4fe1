import type { MultipartUpload, FileFingerprint, ResumeStore } from '../../transfer/resume-store.ts';
import type { Target } from '../../transfer/transport.ts';

const ENTRY = 'svc.uploads';
const LIFETIME_MS = 7 * 24 * 3_600_000;
const MOST = 200;

/** A multipart upload that can be resumed when the user chooses the same file again. */
export type RememberedUpload = MultipartUpload & {
  readonly owner: string;
  readonly target: Target;
  readonly file: FileFingerprint;
  readonly startedAtMs: number;
};

/** The part of the `localStorage` interface that is used. */
export type TextStore = { getItem(key: string): string | null; setItem(key: string, value: string): void };

/** The incomplete uploads, stored in the browser across reloads. Each belongs to the user who started it. */
export class RememberedUploads implements ResumeStore {
  readonly #store: () => TextStore;
  readonly #owner: () => string;
  readonly #now: () => number;
  /** The uploads of this page, which are also known if the browser blocks storage. */
  #ofThisPage: readonly RememberedUpload[] = [];

  /** @param store - throws if the browser blocks storage. @param owner - returns an identifier of the user's issuer and subject. */
  constructor(store: () => TextStore, owner: () => string, now: () => number = Date.now) {
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
  }

  /** The stored uploads of the user. */
  list(): RememberedUpload[] {
    return this.#all().filter(({ owner }) => owner === this.#owner());
  }

  /** The incomplete upload of this file to this target, if there is one. */
  async find(
    file: FileFingerprint,
    target: Target,
  ): Promise<(MultipartUpload & { readonly isCurrent: true }) | undefined> {
    const found = [...this.#ofThisPage, ...this.#all()].find(this.#isOf(file, target));
    return found && { uploadId: found.uploadId, partBytes: found.partBytes, isCurrent: true };
  }

  async remember(
    { name, size, lastModified }: FileFingerprint,
    target: Target,
    { uploadId, partBytes }: MultipartUpload,
  ): Promise<void> {
    const upload = {
      target,
      uploadId,
      partBytes,
      file: { name, size, lastModified },
      owner: this.#owner(),
      startedAtMs: this.#now(),
    };
    this.#ofThisPage = [...this.#ofThisPage, upload];
    this.#write([...this.#all(), upload].slice(-MOST));
  }

  async forget(file: FileFingerprint, target: Target): Promise<void> {
    const isOf = this.#isOf(file, target);
    this.#ofThisPage = this.#ofThisPage.filter((upload) => !isOf(upload));
    this.#write(this.#all().filter((upload) => !isOf(upload)));
  }

  #isOf(file: FileFingerprint, target: Target): (upload: RememberedUpload) => boolean {
    const me = this.#owner();
    return ({ owner, ...upload }) =>
      owner === me && isSamePlace(upload.target, target) && isSameFile(upload.file, file);
  }

  #all(): RememberedUpload[] {
    try {
      const kept: unknown = JSON.parse(this.#store().getItem(ENTRY) ?? '[]');
      return Array.isArray(kept)
        ? kept.filter(isRememberedUpload).filter((upload) => upload.startedAtMs > this.#now() - LIFETIME_MS)
        : [];
    } catch {
      return [];
    }
  }

  #write(uploads: readonly RememberedUpload[]): void {
    try {
      this.#store().setItem(ENTRY, JSON.stringify(uploads));
    } catch {
      // If the browser stores nothing (full, or private mode), uploads work but cannot be resumed after a reload.
    }
  }
}

export function isSameFile(a: FileFingerprint, b: FileFingerprint): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

/** The remembered uploads whose target no upload of this page has. */
export function withoutThoseUnderway(
  remembered: readonly RememberedUpload[],
  uploads: readonly { readonly target: Target }[],
): RememberedUpload[] {
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
