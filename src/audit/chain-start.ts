import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChainWalk, hashOf, timeOf, type Position } from './chain-walk.ts';
import { headFile, linesIn, NO_LINE, readSigned, REMOVED_FILE, replaceFile, segmentFile, segmentsIn, type Head, type Removed } from './chain-files.ts';
import { isSignedBy, type Signed, type SigningKey } from './signing-key.ts';

/** What the start found behind the last signature of the chain. It stands in the first line of the next segment. */
export type Found = {
  /** Lines that are whole and follow, and that nobody had vouched for: the process before ended without a stop. */
  readonly unsigned?: number;
  /** Bytes that were no whole line; they are kept beside the segment. */
  readonly cutBytes?: number;
  readonly cutHash?: string;
  /** The segment is not as its writer had signed it. It was left as it is. */
  readonly broken?: string;
};

/** Where a chain goes on. */
export type ChainStart = Position & { readonly chain: string; /** Number of the last segment; 0 for a new chain. */ readonly segment: number; readonly found: Found };

/**
 * Finds out where the chain in a folder goes on. The last segment of a process that ended without a stop is closed: what was torn at its end is cut off and kept
 * beside it. A segment that somebody changed is left as it is.
 *
 * @param keys - public keys whose signatures count.
 */
export async function startChain(folder: string, key: SigningKey, keys: readonly string[]): Promise<ChainStart> {
  const segment = segmentsIn(folder).at(-1);
  if (segment === undefined) return startWithoutSegments(folder, keys);
  const head = signed<Head>(headFile(folder, segment), keys);
  if (head?.closed === true && statSync(segmentFile(folder, segment)).size === head.bytes) return { chain: head.chain, segment, seq: head.last, tip: head.tip, found: {} };
  return closeLeftSegment(folder, { segment, head, key });
}

/** A new chain, or one of which all was removed because of its age. */
function startWithoutSegments(folder: string, keys: readonly string[]): ChainStart {
  const removed = signed<Removed>(join(folder, REMOVED_FILE), keys);
  if (removed === undefined) return { chain: randomUUID(), segment: 0, seq: 0, tip: NO_LINE, found: {} };
  return { chain: removed.chain, segment: removed.through, seq: removed.last, tip: removed.tip, found: {} };
}

type Left = { readonly segment: number; readonly head: Signed<Head> | undefined; readonly key: SigningKey };

async function closeLeftSegment(folder: string, { segment, head, key }: Left): Promise<ChainStart> {
  const file = segmentFile(folder, segment);
  const before = positionBefore(file);
  const walk = new ChainWalk(before ?? { seq: 0, tip: NO_LINE });
  const lines: { first?: FirstLine; from: string; to: string } = { from: '', to: '' };
  let tipOfHead: string | undefined;
  for (const batch of linesIn(file)) {
    for (const line of batch) {
      if (!walk.take(line)) break;
      const { seq, tip } = walk.position;
      if (seq === head?.last) tipOfHead = tip;
      lines.first ??= readFirst(line.bytes);
      lines.to = timeOf(line.bytes) ?? lines.to;
    }
  }
  lines.from = lines.first?.time ?? '';
  const { seq, tip } = walk.position;
  const chain = head?.chain ?? lines.first?.chain;
  if (head !== undefined && (tipOfHead !== head.tip || walk.end < head.bytes)) {
    const broken = `segment ${segment} was signed up to line ${head.last}, and is not as it was signed`;
    return { chain: head.chain, segment, seq: head.last, tip: head.tip, found: { broken } };
  }
  if (chain === undefined || before === undefined) return leaveUnreadable(folder, segment);
  const cut = cutTail(file, walk.end);
  const content: Head = { chain, segment, first: before.seq + 1, last: seq, prev: before.tip, tip, bytes: walk.end, from: lines.from, to: lines.to, closed: true };
  await replaceFile(headFile(folder, segment), JSON.stringify(key.sign(content)));
  const unsigned = seq - (head?.last ?? before.seq);
  return { chain, segment, seq, tip, found: { ...(unsigned > 0 && { unsigned }), ...cut } };
}

/** A segment whose first line was not written whole goes aside as a whole: it holds nothing that was acknowledged. */
async function leaveUnreadable(folder: string, segment: number): Promise<ChainStart> {
  const cut = cutTail(segmentFile(folder, segment), 0);
  const before = readSigned<Head>(headFile(folder, segment - 1)) ?? readSigned<Removed>(join(folder, REMOVED_FILE));
  if (before === undefined) return { chain: randomUUID(), segment: segment - 1, seq: 0, tip: NO_LINE, found: { ...cut } };
  return { chain: before.chain, segment: segment - 1, seq: before.last, tip: before.tip, found: { ...cut } };
}

/** Cuts off what follows the last whole line, and keeps it in a file beside. */
function cutTail(file: string, end: number): Pick<Found, 'cutBytes' | 'cutHash'> {
  const whole = readFileSync(file);
  if (whole.length <= end) return {};
  const tail = whole.subarray(end);
  let name = `${file}.cut`;
  for (let i = 2; existsSync(name); i += 1) name = `${file}.cut.${i}`;
  writeFileSync(name, tail, { mode: 0o600, flush: true });
  truncateSync(file, end);
  return { cutBytes: tail.length, cutHash: hashOf(tail) };
}

type FirstLine = { readonly seq: number; readonly prev: string; readonly time: string; readonly chain: string };

function readFirst(line: Buffer): FirstLine {
  return JSON.parse(line.toString('utf8')) as FirstLine;
}

/** What stands before the first line of a segment; undefined when that line is not whole. */
function positionBefore(file: string): Position | undefined {
  for (const [line] of linesIn(file)) {
    try {
      const { seq, prev } = readFirst(line!.bytes);
      return { seq: seq - 1, tip: prev };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function signed<T extends object>(file: string, keys: readonly string[]): Signed<T> | undefined {
  try {
    const found = readSigned<T>(file);
    return found !== undefined && isSignedBy(keys, found) ? found : undefined;
  } catch {
    return undefined;
  }
}
