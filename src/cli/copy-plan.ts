import { opendir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { usageFault } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import type { KnownObject } from './download.ts';
import { listObjects } from './listing.ts';
import { isFolder, pathBeneath } from './local-path.ts';
import { asFolder, isRemote, nameOf, parseBeneath, parseObject, type KeyPath } from './remote-path.ts';

/** One object to move. `root` is the folder that a download must stay in. */
export type CopyTask =
  | { readonly kind: 'download'; readonly from: KeyPath; readonly known: KnownObject; readonly root: string | undefined; readonly to: () => string }
  | { readonly kind: 'upload'; readonly from: string; readonly size: number; readonly to: KeyPath }
  | { readonly kind: 'copy'; readonly from: KeyPath; readonly size: number; readonly to: KeyPath }
  | { readonly kind: 'skip'; readonly from: string; readonly why: string };

export type CopyRequest = { readonly sources: readonly string[]; readonly target: string; readonly recursive: boolean };

/** Every object that a `svc cp` moves, found as it goes. @throws {CliFailure} usage */
export function planCopy(connection: Connection, request: CopyRequest): AsyncGenerator<CopyTask, void, void> {
  const { sources, target, recursive } = request;
  const remotes = sources.filter(isRemote).length;
  if (remotes !== 0 && remotes !== sources.length) throw usageFault('copy either local or remote sources, not both at once');
  if (remotes === 0 && !isRemote(target)) throw usageFault(`both sides are local; a remote path begins with \`svc:\`, such as \`svc:PROVIDER/BUCKET/${target.replace(/^\.?\//, '')}\``);
  // Where there are several sources, the target can only be a folder.
  const several = sources.length > 1;
  if (remotes === 0) return planUploads(sources, parseBeneath(target), { recursive, several });
  const from = sources.map((source) => (recursive ? asFolder(parseBeneath(source)) : parseObject(source)));
  return isRemote(target) ? planRemoteCopies(connection, from, parseBeneath(target), { recursive, several }) : planDownloads(connection, from, target, { recursive, several });
}

type Shape = { readonly recursive: boolean; readonly several: boolean };

async function* planUploads(sources: readonly string[], target: KeyPath, { recursive, several }: Shape): AsyncGenerator<CopyTask, void, void> {
  for (const source of sources) {
    const found = await stat(source);
    if (!found.isDirectory()) {
      // Its size is not known, and would be taken for nothing.
      if (!found.isFile()) throw usageFault(`\`${source}\` is no ordinary file; write what it gives to a file first, and copy that`);
      yield { kind: 'upload', from: source, size: found.size, to: keyFor(target, basename(source), several) };
      continue;
    }
    if (!recursive) throw usageFault(`\`${source}\` is a folder; give \`-r\` to copy it with everything in it`);
    const folder = asFolder(several ? { ...target, key: `${asFolder(target).key}${basename(resolve(source))}` } : target);
    for await (const path of walk(source)) {
      if (path.why !== undefined) yield { kind: 'skip', from: path.path, why: path.why };
      else yield { kind: 'upload', from: path.path, size: path.size, to: { ...folder, key: folder.key + relative(source, path.path).split(sep).join('/') } };
    }
  }
}

async function* planDownloads(connection: Connection, sources: readonly KeyPath[], target: string, { recursive, several }: Shape): AsyncGenerator<CopyTask, void, void> {
  for (const source of sources) {
    if (!recursive) {
      const { size, etag } = await connection.call('object/head', { provider: source.provider, bucket: source.bucket, key: source.key });
      const intoFolder = several || target.endsWith('/') || target.endsWith(sep) || (await isFolder(target));
      yield { kind: 'download', from: source, known: { size, etag }, root: intoFolder ? target : undefined, to: () => (intoFolder ? pathBeneath(target, nameOf(source.key)) : target) };
      continue;
    }
    const folder = several ? join(target, nameOf(source.key === '' ? source.bucket : source.key)) : target;
    for await (const { key, size, etag } of listObjects(connection, source)) {
      const rest = key.slice(source.key.length);
      // A folder's own marker: nothing to write.
      if (size === 0 && (rest === '' || rest.endsWith('/'))) continue;
      yield { kind: 'download', from: { ...source, key }, known: { size, etag }, root: folder, to: () => pathBeneath(folder, rest) };
    }
  }
}

/** Objects from place to place within the service: nothing passes through this machine. */
export async function* planRemoteCopies(connection: Connection, sources: readonly KeyPath[], target: KeyPath, { recursive, several }: Shape): AsyncGenerator<CopyTask, void, void> {
  for (const source of sources) {
    if (!recursive) {
      const to = keyFor(target, nameOf(source.key), several);
      if (samePlace(source, to)) throw usageFault('source and target are the same object');
      yield { kind: 'copy', from: source, size: 0, to };
      continue;
    }
    const folder = several ? asFolder({ ...target, key: asFolder(target).key + nameOf(source.key === '' ? source.bucket : source.key) }) : asFolder(target);
    if (source.provider === folder.provider && source.bucket === folder.bucket && folder.key.startsWith(source.key)) throw usageFault('the target lies within the source');
    for await (const { key } of listObjects(connection, source)) {
      const rest = key.slice(source.key.length);
      if (folder.key + rest !== '') yield { kind: 'copy', from: { ...source, key }, size: 0, to: { ...folder, key: folder.key + rest } };
    }
  }
}

/** The target's own key, or a name in it when it is a folder. */
function keyFor(target: KeyPath, name: string, several: boolean): KeyPath {
  const folder = several ? asFolder(target) : target;
  return folder.key === '' || folder.key.endsWith('/') ? { ...folder, key: folder.key + name } : folder;
}

function samePlace(a: KeyPath, b: KeyPath): boolean {
  return a.provider === b.provider && a.bucket === b.bucket && a.key === b.key;
}

type Walked = { readonly path: string; readonly size: number; readonly why?: string };

/** Every file beneath a folder. Symbolic links are not followed: they could lead out of it, or round in circles. */
async function* walk(folder: string): AsyncGenerator<Walked, void, void> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield { path, size: (await stat(path)).size };
    else yield { path, size: 0, why: entry.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a file' };
  }
}
