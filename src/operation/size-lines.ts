import type { ListedObject } from '../storage/bucket-page.ts';
import { copyString } from '../storage/copy-string.ts';
import type { OperationLine } from '../wire/operations.ts';
import type { OpenScan } from './open-scan.ts';
import type { Lines } from './operation.ts';

/** After this many objects, a line reports the sizes so far. */
const OBJECTS_A_LINE = 1_000;

type Line = OperationLine<'object/size'>;
type Counts = { objects: number; bytes: number; deletable: number };

/** Consecutive objects in the same folder directly beneath the prefix, or in no folder. `last` is the last key. */
export type Run = {
  readonly folder: string | undefined;
  readonly sizes: number[];
  readonly deletable: boolean[];
  last: string;
};

/** Divides the objects of a page by the folder that they are in. */
export function pageRuns(
  prefix: string,
  mayDelete: (key: string) => boolean,
): (objects: readonly ListedObject[]) => readonly Run[] {
  return (objects) => {
    const runs: Run[] = [];
    for (const { key, size } of objects) {
      const slash = key.indexOf('/', prefix.length);
      let run = runs.at(-1);
      if (
        run === undefined ||
        (slash === -1 ? run.folder !== undefined : run.folder?.length !== slash + 1 || !key.startsWith(run.folder))
      ) {
        run = {
          folder: slash === -1 ? undefined : copyString(key.slice(0, slash + 1)),
          sizes: [],
          deletable: [],
          last: '',
        };
        runs.push(run);
      }
      run.last = key;
      // Storage keeps an empty folder as an object without content whose key ends in `/`.
      if (size === 0 && key.endsWith('/')) continue;
      run.sizes.push(size);
      run.deletable.push(mayDelete(key));
    }
    for (const run of runs) run.last = copyString(run.last);
    return runs;
  };
}

/** Yields the total size and the size of each folder. The lines depend only on the keys that may be listed, not on the pages that storage returned. */
export async function* sizeLines({ scan, seal }: OpenScan<readonly Run[]>, most: number): Lines<'object/size'> {
  const total = { objects: 0, bytes: 0, deletable: 0 };
  let folder: { readonly prefix: string; readonly counts: Counts } | undefined;
  let folders = 0;
  let last = '';
  for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
    const lines: Line[] = [];
    for (const run of page.digest) {
      if (folder?.prefix !== run.folder) {
        if (folder !== undefined) lines.push(folderLine(folder));
        if (run.folder !== undefined && folders++ === most) {
          yield [...lines, { ...total }, { nextCursor: seal(last, last) }];
          return;
        }
        folder =
          run.folder === undefined ? undefined : { prefix: run.folder, counts: { objects: 0, bytes: 0, deletable: 0 } };
      }
      for (const [i, size] of run.sizes.entries()) {
        for (const counts of folder === undefined ? [total] : [total, folder.counts]) {
          counts.objects += 1;
          counts.bytes += size;
          if (run.deletable[i]) counts.deletable += 1;
        }
        if (total.objects % OBJECTS_A_LINE === 0) lines.push({ ...total });
      }
      last = run.last;
    }
    yield lines;
  }
  const { cutAt } = scan;
  yield [
    ...(folder === undefined ? [] : [folderLine(folder)]),
    total,
    cutAt === undefined ? { done: true } : { nextCursor: seal(cutAt, last) },
  ];
}

function folderLine({ prefix, counts }: { readonly prefix: string; readonly counts: Counts }): Line {
  return { folder: { prefix, ...counts } };
}
