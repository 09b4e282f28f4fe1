import { usageFault } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import type { KnownObject } from '../../client/download.ts';
import { refuseEqualFolders, withoutRepeatedTargets } from './copy-targets.ts';
import { emptySource, type CopyShape, type CopyTask } from './copy-task.ts';
import type { ChosenPath } from './glob.ts';
import { listObjects } from './listing.ts';
import { asFolder, folderNameOf, keyFor, nameOf, remoteText, type KeyPath } from '../argument/remote-path.ts';

/** A source and its target: both are objects, or both are folders. */
type Pair = {
  readonly from: KeyPath;
  readonly known?: KnownObject | undefined;
  readonly isFolder: boolean;
  readonly to: KeyPath;
};
type RemoteCopy = Extract<CopyTask, { kind: 'copy' | 'fail' }>;

/**
 * Plans copies within the service; nothing passes through this machine.
 *
 * @throws {CliFailure} usage
 */
export function planRemoteCopies(
  connection: Connection,
  sources: readonly ChosenPath[],
  target: KeyPath,
  { recursive, several, filter }: CopyShape,
): AsyncGenerator<CopyTask, void, void> {
  const pairs = sources.map(({ known, ...from }) => {
    const isFolder = recursive && known === undefined;
    return {
      from,
      known,
      isFolder,
      to: isFolder ? folderFor(from, target, several) : keyFor(target, nameOf(from.key), several),
    };
  });
  if (several) refuseEqualFolders(pairs.filter(({ isFolder }) => isFolder).map(({ from }) => folderNameOf(from)));
  for (const { from, isFolder, to } of pairs) {
    if (isFolder && isWithin(to, from)) throw usageFault('the target lies within the source');
    if (!isFolder && remoteText(from) === remoteText(to)) throw usageFault('source and target are the same object');
  }
  const copies = copiesOf(connection, pairs, filter);
  const overlap = pairs.some(({ from }) => pairs.some(({ to }) => isWithin(from, to) || isWithin(to, from)));
  return withoutRepeatedTargets(overlap ? allKnown(copies) : copies);
}

function folderFor(source: KeyPath, target: KeyPath, several: boolean): KeyPath {
  const folder = asFolder(target);
  return several ? asFolder({ ...folder, key: folder.key + folderNameOf(source) }) : folder;
}

/** Whether `inner` is in the same bucket as `outer`, and its key begins with the other key. */
function isWithin(inner: KeyPath, outer: KeyPath): boolean {
  return inner.provider === outer.provider && inner.bucket === outer.bucket && inner.key.startsWith(outer.key);
}

async function* copiesOf(
  connection: Connection,
  pairs: readonly Pair[],
  filter: CopyShape['filter'],
): AsyncGenerator<RemoteCopy, void, void> {
  for (const { from, known, isFolder, to } of pairs) {
    if (!isFolder) {
      yield { kind: 'copy', from, known, size: 0, to };
      continue;
    }
    let isEmpty = true;
    for await (const known of listObjects(connection, from)) {
      const { key } = known;
      isEmpty = false;
      const rest = key.slice(from.key.length);
      if (to.key + rest !== '' && filter?.(rest) !== false)
        yield { kind: 'copy', from: { ...from, key }, known, size: 0, to: { ...to, key: to.key + rest } };
    }
    if (isEmpty) yield emptySource(from);
  }
}

/**
 * Lists everything before the first copy, because otherwise copies would appear in the listing.
 *
 * @throws {CliFailure} usage: a copy would overwrite an object that is also a source.
 */
async function* allKnown(copies: AsyncIterable<RemoteCopy>): AsyncGenerator<RemoteCopy, void, void> {
  const all = await Array.fromAsync(copies);
  const known = all.filter((task) => task.kind === 'copy');
  const sources = new Set(known.map(({ from }) => remoteText(from)));
  const inTheWay = known.find(({ to }) => sources.has(remoteText(to)));
  if (inTheWay !== undefined) {
    throw usageFault(
      `\`${remoteText(inTheWay.to)}\` is a source, and the target of \`${remoteText(inTheWay.from)}\`; nothing was copied; copy to another folder first`,
    );
  }
  yield* all;
}
