import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Environment } from '../config/substitute.ts';
import { PrivateFile } from './private-file.ts';
import type { KeyPath } from './remote-path.ts';
import { stateFolder } from './user-folders.ts';

/** What a file is known by again. */
export type FileMark = { readonly size: number; readonly mtimeMs: number };

/** An upload in parts that was begun and is not complete. Holds no credential and no content. */
export type RememberedUpload = FileMark & {
  readonly uploadId: string;
  readonly partBytes: number;
  readonly contentType: string;
  readonly begunAt: string;
};

/** With where it comes from and where it goes. */
export type KeptUpload = RememberedUpload & { readonly server: string; readonly target: KeyPath; readonly path: string };

/**
 * The uploads of this machine that can go on, so that the same `svc cp` finds what an interrupted one has sent.
 *
 * There is a file for each server, target and local path: processes that run at the same time do not get in each other's way.
 */
export class RememberedUploads {
  readonly #folder: string;
  readonly #server: string;

  constructor(env: Environment, server: string) {
    this.#folder = join(stateFolder(env), 'uploads');
    this.#server = server;
  }

  async find(path: string, target: KeyPath): Promise<RememberedUpload | undefined> {
    const kept = await this.#file(path, target).read();
    return isRemembered(kept) ? kept : undefined;
  }

  async remember(path: string, target: KeyPath, upload: RememberedUpload): Promise<void> {
    const { provider, bucket, key } = target;
    await this.#file(path, target).write({ server: this.#server, target: { provider, bucket, key }, path: resolve(path), ...upload });
  }

  /** Those of this server, the oldest first. */
  async list(): Promise<KeptUpload[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const kept = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => new PrivateFile<KeptUpload>(join(this.#folder, name)).read()));
    return kept.filter((one): one is KeptUpload => isRemembered(one) && one.server === this.#server).sort((a, b) => a.begunAt.localeCompare(b.begunAt));
  }

  async forget(path: string, target: KeyPath): Promise<void> {
    await this.#file(path, target).remove();
  }

  #file(path: string, { provider, bucket, key }: KeyPath): PrivateFile<KeptUpload> {
    const place = JSON.stringify([this.#server, provider, bucket, key, resolve(path)]);
    return new PrivateFile(join(this.#folder, `${createHash('sha256').update(place).digest('hex').slice(0, 32)}.json`));
  }
}

function isRemembered(kept: Partial<RememberedUpload> | undefined): kept is RememberedUpload {
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
