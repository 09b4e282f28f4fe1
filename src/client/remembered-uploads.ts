import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../config/read/substitute.ts';
import type { MultipartUpload, FingerprintedFile, ResumeStore } from '../transfer/resume-store.ts';
import type { Target } from '../transfer/transport.ts';
import type { StoredHeaders } from '../wire/stored-headers.ts';
import { PrivateFile } from './private-file.ts';
import { stateFolder } from './user-folders.ts';

/** An unfinished upload in parts, with its source and target. */
export type KeptUpload = MultipartUpload & {
  readonly server: string;
  readonly target: Target;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly contentType: string;
  readonly stored?: StoredHeaders | undefined;
  readonly begunAt: string;
};

/**
 * The uploads of this machine that can continue, so that the same `svc cp` finds what an interrupted one has sent.
 *
 * There is a file for each server, target and local path, so that simultaneous processes do not conflict.
 */
export class RememberedUploads implements ResumeStore {
  readonly #folder: string;
  readonly #server: string;

  constructor(env: Environment, server: string) {
    this.#folder = join(stateFolder(env), 'uploads');
    this.#server = server;
  }

  /** @param file - its name is the whole path. */
  async find(
    file: FingerprintedFile,
    target: Target,
  ): Promise<(Pick<KeptUpload, 'uploadId' | 'partBytes' | 'begunAt'> & { readonly isCurrent: boolean }) | undefined> {
    const kept = await this.#file(file, target).read();
    if (!isKept(kept)) return undefined;
    const { uploadId, partBytes, begunAt, size, mtimeMs, contentType, stored } = kept;
    return {
      uploadId,
      partBytes,
      begunAt,
      isCurrent:
        size === file.size &&
        mtimeMs === file.lastModified &&
        contentType === file.contentType &&
        isDeepStrictEqual(stored, file.stored),
    };
  }

  async remember(file: FingerprintedFile, target: Target, { uploadId, partBytes }: MultipartUpload): Promise<void> {
    const { name: path, size, lastModified: mtimeMs, contentType, stored } = file;
    await this.#file(file, target).write({
      server: this.#server,
      target,
      path,
      size,
      mtimeMs,
      contentType,
      stored,
      uploadId,
      partBytes,
      begunAt: new Date().toISOString(),
    });
  }

  /** The uploads to this server, the oldest first. */
  async list(): Promise<KeptUpload[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const kept = await Promise.all(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => new PrivateFile<KeptUpload>(join(this.#folder, name)).read()),
    );
    return kept
      .filter((one): one is KeptUpload => isKept(one) && one.server === this.#server)
      .sort((a, b) => a.begunAt.localeCompare(b.begunAt));
  }

  async forget(file: Pick<FingerprintedFile, 'name'>, target: Target): Promise<void> {
    await this.#file(file, target).remove();
  }

  #file({ name }: Pick<FingerprintedFile, 'name'>, { provider, bucket, key }: Target): PrivateFile<KeptUpload> {
    const place = JSON.stringify([this.#server, provider, bucket, key, name]);
    return new PrivateFile(join(this.#folder, `${createHash('sha256').update(place).digest('hex').slice(0, 32)}.json`));
  }
}

function isKept(kept: Partial<KeptUpload> | undefined): kept is KeptUpload {
  return (
    typeof kept?.uploadId === 'string' &&
    typeof kept.contentType === 'string' &&
    typeof kept.begunAt === 'string' &&
    typeof kept.size === 'number' &&
    typeof kept.mtimeMs === 'number' &&
    Number.isSafeInteger(kept.partBytes) &&
    (kept.partBytes ?? 0) > 0
  );
}
