import type { OperationLine } from '../wire/operations.ts';
import type { OpenScan } from './open-scan.ts';
import type { Lines } from './operation.ts';
import type { Scan } from '../storage/scan.ts';
import type { PageHits } from './search-match.ts';

/** After this many keys, a line reports how many keys were searched so far. */
const KEYS_A_LINE = 1_000;
/** A page with many folders gives more lines; they are sent in parts of this many. */
const LINES_AT_ONCE = 2_000;

export type HitPages = Pick<Scan<PageHits>, 'next' | 'cutAt'>;

type Line = OperationLine<'object/search'>;

/** Yields the hits of a search in the order of the keys. The lines depend only on the keys that may be listed, not on the pages that storage returned. */
export async function* searchLines(
  { scan, lastReported, seal }: Omit<OpenScan<PageHits>, 'scan'> & { readonly scan: HitPages },
  most: number,
): Lines<'object/search'> {
  const progress = new Progress();
  let before = 0;
  let found = 0;
  let last = lastReported;
  for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
    const lines: Line[] = [];
    const { seen } = page.digest;
    // Skips folders that contain the last key reported before: an earlier page or answer has reported them.
    const hits = page.digest.hits.filter(({ line: { prefix } }) => prefix === undefined || !last.startsWith(prefix));
    for (const [i, { number, key, line }] of hits.entries()) {
      lines.push(...progress.upTo(before + number - 1), line);
      found += 1;
      if (lines.length >= LINES_AT_ONCE) yield lines.splice(0);
      if (found < most || hits[i + 1]?.number === number) continue;
      yield [...lines, ...progress.atEnd(before + number), { nextCursor: seal(key, key) }];
      return;
    }
    before += seen;
    last = page.digest.last ?? last;
    lines.push(...progress.upTo(before));
    yield lines;
  }
  const { cutAt } = scan;
  yield [...progress.atEnd(before), cutAt === undefined ? { done: true } : { nextCursor: seal(cutAt, last) }];
}

/** Reports every thousand keys how many keys were searched. */
class Progress {
  #said = 0;

  *upTo(seen: number): Generator<Line, void, void> {
    while (this.#said + KEYS_A_LINE <= seen) yield { seen: (this.#said += KEYS_A_LINE) };
  }

  *atEnd(seen: number): Generator<Line, void, void> {
    yield* this.upTo(seen);
    if (seen > this.#said || seen === 0) yield { seen };
  }
}
