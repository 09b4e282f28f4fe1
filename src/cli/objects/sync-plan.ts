import { stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { walk } from '../../client/walk.ts';
import type { Connection } from '../../client/connection.ts';
import { pathBeneath } from '../argument/local-path.ts';
import type { NameFilter } from '../argument/name-filter.ts';
import type { KeyPath } from '../argument/remote-path.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { emptySource, type CopyTask, type FileState } from './copy-task.ts';
import { withoutRepeatedTargets } from './copy-targets.ts';
import { listObjects, type ListedObject } from './listing.ts';
import { compareFile, compareObjects, type CompareBy } from './sync-same.ts';

/** A folder here, or a folder in storage, whose key ends with a slash or is empty. */
export type SyncPlace = string | KeyPath;
export type SyncQuestion = {
  readonly from: SyncPlace;
  readonly to: SyncPlace;
  readonly by: CompareBy;
  readonly filter: NameFilter | undefined;
  /** Whether what only the target has is deleted afterwards. */
  readonly deletes: boolean;
};

export type LocalFile = FileState & { readonly path: string };
/** What the target has beneath it, by relative name. It is held in memory, while the source is listed page by page. */
export type Target = Map<string, LocalFile | ListedObject>;

/** The names that only the target has. Complete when all tasks were taken. */
export type SyncPlan = { readonly tasks: AsyncGenerator<CopyTask, void, void>; readonly extra: Target };

/**
 * Plans what `svc sync` transfers. Each task says what it may replace, so that it replaces no other version. Markers of folders (keys that end with a slash) are
 * neither transferred nor deleted.
 *
 * @throws {CliFailure} usage
 */
export async function planSync(connection: Connection, question: SyncQuestion): Promise<SyncPlan> {
  const { from, to, filter } = question;
  if (typeof from === 'string' && !(await stat(from)).isDirectory())
    throw usageFault(`\`${from}\` is not a folder; copy a file with \`svc cp\``);
  const isWanted = (name: string): boolean => name !== '' && !name.endsWith('/') && filter?.(name) !== false;
  const extra: Target = new Map();
  if (typeof to === 'string') await findFiles(to, isWanted, extra);
  else
    for await (const object of listObjects(connection, to)) {
      const name = object.key.slice(to.key.length);
      if (isWanted(name)) extra.set(name, object);
    }
  const tasks =
    typeof from === 'string'
      ? fromFolder(connection, from, isWanted, { ...question, to: to as KeyPath }, extra)
      : fromStorage(connection, from, isWanted, question, extra);
  return { tasks: withoutRepeatedTargets(tasks), extra };
}

/** @throws the error of a folder that cannot be read: a target that is not known whole is not changed. */
async function findFiles(folder: string, isWanted: NameFilter, found: Target): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) === undefined) return;
  for await (const one of walk(folder)) {
    const name = nameIn(folder, one.path);
    if ('error' in one) throw one.error;
    if ('size' in one && isWanted(name)) found.set(name, one);
  }
}

async function* fromFolder(
  connection: Connection,
  from: string,
  isWanted: NameFilter,
  { to, by, deletes }: Omit<SyncQuestion, 'to'> & { readonly to: KeyPath },
  extra: Target,
): AsyncGenerator<CopyTask, void, void> {
  let isEmpty = true;
  for await (const found of walk(from)) {
    const name = nameIn(from, found.path);
    if ('error' in found) yield { kind: 'fail', from: found.path, error: found.error };
    else if ('why' in found) {
      isEmpty = false;
      // What a link leads to is not known, so nothing of its name is taken for missing.
      for (const other of extra.keys()) if (other === name || other.startsWith(`${name}/`)) extra.delete(other);
      if (isWanted(name)) yield { kind: 'skip', from: found.path, why: found.why };
    } else if ('size' in found) {
      isEmpty = false;
      if (!isWanted(name)) continue;
      const { path, size, mtimeMs, dev, ino } = found;
      const there = extra.get(name) as ListedObject | undefined;
      extra.delete(name);
      yield {
        kind: 'upload',
        from: path,
        size,
        to: { ...to, key: to.key + name },
        found: { dev, ino },
        over: there?.etag ?? null,
        ...(there && {
          compare: () => compareFile(connection, { path, size, mtimeMs }, { ...to, ...there }, by, 'object'),
        }),
      };
    }
  }
  // A folder from which everything is gone is more probably a disk that is not there.
  if (isEmpty && deletes && extra.size > 0)
    yield {
      kind: 'fail',
      from,
      error: new CliFailure(EXIT.failed, 'this folder is empty; nothing was deleted', 'not_found'),
    };
}

async function* fromStorage(
  connection: Connection,
  from: KeyPath,
  isWanted: NameFilter,
  { to, by }: SyncQuestion,
  extra: Target,
): AsyncGenerator<CopyTask, void, void> {
  let isEmpty = true;
  for await (const object of listObjects(connection, from)) {
    isEmpty = false;
    const name = object.key.slice(from.key.length);
    if (!isWanted(name)) continue;
    const source = { ...from, key: object.key };
    const there = extra.get(name);
    extra.delete(name);
    if (typeof to !== 'string') {
      const known = there as ListedObject | undefined;
      yield {
        kind: 'copy',
        from: source,
        size: 0,
        to: { ...to, key: to.key + name },
        etag: object.etag,
        over: known?.etag ?? null,
        ...(known && { compare: () => compareObjects(connection, { ...from, ...object }, { ...to, ...known }, by) }),
      };
      continue;
    }
    let path: string;
    try {
      path = pathBeneath(to, name);
    } catch (error) {
      yield { kind: 'fail', from: source, error };
      continue;
    }
    const file = there as LocalFile | undefined;
    yield {
      kind: 'download',
      from: source,
      known: object,
      root: to,
      to: path,
      keepsTime: true,
      over: file ?? null,
      ...(file && { compare: () => compareFile(connection, file, { ...from, ...object }, by, 'file') }),
    };
  }
  if (isEmpty) yield emptySource(from);
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
