import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { codeOf } from '../../errors/svc-error.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { refuseEqualFolders, withoutRepeatedTargets } from './copy-targets.ts';
import { emptySource, folderFault, type CopyShape, type CopyTask } from './copy-task.ts';
import type { KnownObject } from '../../client/download.ts';
import { walk } from '../../client/walk.ts';
import type { NameFilter } from '../argument/name-filter.ts';
import { chosenPaths, isGlob, type ChosenPath } from './glob.ts';
import { isFolderThere, listObjects } from './listing.ts';
import { foldedPath, isFolder, pathBeneath } from '../argument/local-path.ts';
import { planRemoteCopies } from './remote-copy-plan.ts';
import {
  asFolder,
  asRemote,
  folderNameOf,
  isRemote,
  keyFor,
  nameOf,
  parseBeneath,
  parseObjectOfMany,
  type KeyPath,
} from '../argument/remote-path.ts';

export type CopyRequest = {
  readonly sources: readonly string[];
  readonly target: string;
  readonly recursive: boolean;
  readonly version?: string | undefined;
  readonly filter?: NameFilter | undefined;
};

/**
 * Yields every object that `svc cp` transfers, while they are being found.
 *
 * @throws {CliFailure} usage
 */
export function planCopy(
  connection: Connection,
  { sources, target, recursive, version, filter }: CopyRequest,
): AsyncGenerator<CopyTask, void, void> {
  const remotes = sources.filter(isRemote).length;
  if (remotes !== 0 && remotes !== sources.length)
    throw usageFault('copy either local or remote sources, not both at once');
  if (remotes === 0 && !isRemote(target)) {
    const meant = sources.find((source) => !existsSync(source) && existsSync(target)) ?? target;
    throw usageFault(`both sides are local; a remote path begins with \`svc:\`, such as \`${asRemote(meant)}\``);
  }
  if (version !== undefined && (sources.length !== 1 || remotes !== 1 || recursive || isRemote(target)))
    throw usageFault('`--version-id` downloads one object: `svc cp --version-id ID svc:PROVIDER/BUCKET/KEY FILE`');
  if (filter !== undefined && !recursive)
    throw usageFault('`--include` and `--exclude` choose what is copied beneath a folder; give `-r` too');
  // With several sources, the target can only be a folder.
  const shape = { recursive, several: sources.length > 1, filter };
  if (remotes === 0) return withoutRepeatedTargets(planUploads(sources, parseBeneath(target), shape));
  const from = sources.map((source) => (recursive ? parseBeneath(source) : parseObjectOfMany(source)));
  const to = isRemote(target) ? parseBeneath(target) : target;
  if (version === undefined && from.some(({ key }) => isGlob(key))) return planGlobbed(connection, from, to, shape);
  return planRemote(connection, from, to, shape, version);
}

/** Plans the copies of what the sources match. As soon as one is a glob, the target is a folder, however many match. */
async function* planGlobbed(
  connection: Connection,
  written: readonly KeyPath[],
  target: KeyPath | string,
  shape: CopyShape,
): AsyncGenerator<CopyTask, void, void> {
  const wanted = shape.recursive ? 'both' : 'objects';
  const from: ChosenPath[] = [];
  let { several } = shape;
  for (const source of written) {
    const chosen = await chosenPaths(connection, source, wanted);
    several ||= !chosen.includes(source);
    from.push(...chosen.filter(({ key, known }) => known === undefined || known.size > 0 || !key.endsWith('/')));
  }
  yield* planRemote(connection, from, target, { ...shape, several });
}

function planRemote(
  connection: Connection,
  sources: readonly ChosenPath[],
  target: KeyPath | string,
  shape: CopyShape,
  version?: string,
): AsyncGenerator<CopyTask, void, void> {
  const from = sources.map((path) => (shape.recursive && path.known === undefined ? asFolder(path) : path));
  return typeof target === 'string'
    ? withoutRepeatedTargets(planDownloads(connection, from, target, shape, version))
    : planRemoteCopies(connection, from, target, shape);
}

async function* planUploads(
  sources: readonly string[],
  target: KeyPath,
  { recursive, several, filter }: CopyShape,
): AsyncGenerator<CopyTask, void, void> {
  const found = await Promise.all(
    sources.map(async (source) => ({ source, stats: await stat(source).catch((error: unknown) => error as Error) })),
  );
  for (const { source, stats } of found) {
    if (stats instanceof Error) continue;
    if (stats.isDirectory() && !recursive)
      throw usageFault(`\`${source}\` is a folder; give \`-r\` to copy it with everything in it`);
    // The size of other files is unknown and would be taken for 0.
    if (!stats.isDirectory() && !stats.isFile())
      throw usageFault(`\`${source}\` is not a regular file; save its output to a file and copy that`);
  }
  refuseEqualFolders(
    found.flatMap(({ source, stats }) => (stats instanceof Error || stats.isFile() ? [] : [basename(resolve(source))])),
  );
  for (const { source, stats } of found) {
    if (stats instanceof Error) yield { kind: 'fail', from: source, error: stats };
    else if (stats.isFile())
      yield { kind: 'upload', from: source, size: stats.size, to: keyFor(target, basename(source), several) };
    else
      yield* planFolderUpload(
        source,
        asFolder(several ? { ...target, key: `${asFolder(target).key}${basename(resolve(source))}` } : target),
        filter,
      );
  }
}

async function* planFolderUpload(
  source: string,
  folder: KeyPath,
  filter: NameFilter | undefined,
): AsyncGenerator<CopyTask, void, void> {
  for await (const found of walk(source)) {
    const name = relative(source, found.path).split(sep).join('/');
    if (!('error' in found) && filter?.(name) === false) continue;
    if ('size' in found)
      yield {
        kind: 'upload',
        from: found.path,
        size: found.size,
        to: { ...folder, key: folder.key + name },
        found: { dev: found.dev, ino: found.ino },
      };
    else if ('error' in found) yield { kind: 'fail', from: found.path, error: found.error };
    else if ('why' in found) yield { kind: 'skip', from: found.path, why: found.why };
  }
}

async function* planDownloads(
  connection: Connection,
  sources: readonly ChosenPath[],
  target: string,
  { recursive, several, filter }: CopyShape,
  version: string | undefined,
): AsyncGenerator<CopyTask, void, void> {
  if (recursive && several)
    refuseEqualFolders(sources.filter(({ known }) => known === undefined).map(folderNameOf), foldedPath);
  for (const { known: listed, ...source } of sources) {
    if (!recursive || listed !== undefined) {
      const { provider, bucket, key } = source;
      let known: KnownObject;
      try {
        known =
          listed ??
          (await connection.call('object/head', {
            provider,
            bucket,
            key,
            ...(version !== undefined && { version }),
          }));
      } catch (error) {
        // An error that is no answer of the service ends the whole run.
        if (codeOf(error) === undefined) throw error;
        yield {
          kind: 'fail',
          from: source,
          error:
            codeOf(error) === 'not_found' && version === undefined && (await isFolderThere(connection, source))
              ? folderFault()
              : error,
        };
        continue;
      }
      const intoFolder = several || target.endsWith('/') || target.endsWith(sep) || (await isFolder(target));
      yield downloadTask({ ...source, version }, known, intoFolder ? target : undefined, () =>
        intoFolder ? pathBeneath(target, nameOf(source.key)) : target,
      );
      continue;
    }
    const folder = several ? join(target, folderNameOf(source)) : target;
    let isEmpty = true;
    for await (const known of listObjects(connection, source)) {
      isEmpty = false;
      const { key, size } = known;
      const rest = key.slice(source.key.length);
      // The marker object of a folder has nothing to write.
      if ((size === 0 && (rest === '' || rest.endsWith('/'))) || filter?.(rest) === false) continue;
      yield downloadTask({ ...source, key }, known, folder, () => pathBeneath(folder, rest));
    }
    if (isEmpty) yield emptySource(source);
  }
}

/** Makes a download task. A key that cannot be a local name only fails this object. */
function downloadTask(
  from: KeyPath & { readonly version?: string | undefined },
  known: KnownObject,
  root: string | undefined,
  to: () => string,
): CopyTask {
  try {
    return { kind: 'download', from, known, root, to: to() };
  } catch (error) {
    if (error instanceof CliFailure && error.status === EXIT.failed) return { kind: 'fail', from, error };
    throw error;
  }
}
