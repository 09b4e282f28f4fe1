import { keyFilter } from '../policy/listing/key-filter.ts';
import type { LinedName, OperationInput, OperationLine } from '../wire/operations.ts';
import { BOUNDS_OF_LINES, BOUNDS_OF_PAGE, openScan, type ScanBounds } from './open-scan.ts';
import { operation, type Lines, type Performance } from './operation.ts';
import { searchLines } from './search-lines.ts';
import { pageMatcher, type PageHits } from './search-match.ts';
import { tagFilter, TaggedScan } from './search-tags.ts';
import { pageRuns, sizeLines, type Run } from './size-lines.ts';

/** Operations that look at every key beneath a prefix that the caller may list. */
export const searchObjects = operation({
  name: 'object/search',
  access: { kind: 'policy', asks: () => [], each: 'objects:list' },
  run: async (performance) => {
    const lines = await linesOf(search(performance, BOUNDS_OF_PAGE));
    return {
      objects: lines.flatMap(({ object }) => object ?? []),
      prefixes: lines.flatMap(({ prefix }) => prefix ?? []),
      seen: lines.findLast(({ seen }) => seen !== undefined)?.seen ?? 0,
      nextCursor: lines.at(-1)?.nextCursor ?? null,
    };
  },
  lines: (performance) => search(performance, BOUNDS_OF_LINES),
});

export const countObjects = operation({
  name: 'object/size',
  access: { kind: 'policy', asks: () => [], each: 'objects:list' },
  run: async (performance) => {
    const lines = await linesOf(size(performance, BOUNDS_OF_PAGE));
    const { objects = 0, bytes = 0, deletable = 0 } = lines.findLast((line) => line.objects !== undefined) ?? {};
    return {
      objects,
      bytes,
      deletable,
      folders: lines.flatMap(({ folder }) => folder ?? []),
      nextCursor: lines.at(-1)?.nextCursor ?? null,
    };
  },
  lines: (performance) => size(performance, BOUNDS_OF_LINES),
});

async function* search(
  performance: Performance<OperationInput<'object/search'>>,
  { most, ...times }: ScanBounds,
): Lines<'object/search'> {
  const { q, folders, kind, minSize, maxSize, after, before, tag } = performance.input;
  const hasTag = tag === undefined ? undefined : tagFilter(performance, tag);
  const weigh = ({ hits }: PageHits) => hits.reduce((sum, { key }) => sum + BYTES_OF_A_HIT + key.length, 0);
  const open = openScan(performance, [q, folders, kind, minSize, maxSize, after, before, tag], {
    // Any number of the objects of a page may lack the tag.
    digest: pageMatcher(performance.input, hasTag === undefined ? most : Infinity),
    weigh,
    ...times,
  });
  if (open === undefined) {
    yield [{ seen: 0 }, { done: true }];
    return;
  }
  try {
    const scan = hasTag === undefined ? open.scan : new TaggedScan(open.scan, hasTag, times.softLimitMs);
    yield* searchLines({ ...open, scan }, most);
  } finally {
    open.scan.close();
  }
}

async function* size(
  performance: Performance<OperationInput<'object/size'>>,
  { most, ...times }: ScanBounds,
): Lines<'object/size'> {
  const { input, caller } = performance;
  const digest = pageRuns(input.prefix ?? '', keyFilter(caller.effective, 'objects:delete', input));
  const weigh = (runs: readonly Run[]) =>
    runs.reduce((sum, { sizes }) => sum + BYTES_OF_A_RUN + sizes.length * BYTES_OF_A_SIZE, 0);
  const open = openScan(performance, ['size'], { digest, weigh, ...times });
  if (open === undefined) {
    yield [{ objects: 0, bytes: 0, deletable: 0 }, { done: true }];
    return;
  }
  try {
    yield* sizeLines(open, most);
  } finally {
    open.scan.close();
  }
}

/** Approximate memory use, that of a hit without its key. */
const BYTES_OF_A_HIT = 500;
const BYTES_OF_A_RUN = 500;
const BYTES_OF_A_SIZE = 16;

async function linesOf<N extends LinedName>(steps: Lines<N>): Promise<OperationLine<N>[]> {
  return (await Array.fromAsync(steps)).flat();
}
