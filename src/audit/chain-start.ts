import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { ChainWalk, hashOf, timeOf, UnsignedTime, type Position } from './chain-walk.ts';
import {
  headFile,
  headsIn,
  linesIn,
  NO_LINE,
  replaceFile,
  segmentFile,
  segmentsIn,
  trustedHead,
  trustedRemoved,
  type Head,
} from './chain-files.ts';
import type { Signed, SigningKey } from './signing-key.ts';
import { linesSent, type SentLine } from './sink/cursor.ts';

/** What the start found after the last signature of the chain. It is recorded in the first line of the next segment. */
export type Found = {
  /** The number of whole lines that follow the last signature but were not signed, because the previous process was killed. */
  readonly unsigned?: number;
  /** The length of an incomplete line at the end; its bytes are kept in a file next to the segment. */
  readonly cutBytes?: number;
  readonly cutHash?: string;
  /** What is wrong with a segment that does not match its signature. The segment is left unchanged. */
  readonly broken?: string;
};

/** The position where a chain continues. */
export type ChainStart = Position & {
  readonly chain: string;
  /** Number of the last segment; 0 for a new chain. */ readonly segment: number;
  readonly found: Found;
};

/**
 * Finds the position where the chain in a folder continues. If the last process was killed, its last segment is closed: an incomplete line at its end is cut
 * off and kept next to it. A segment that somebody changed is left unchanged.
 *
 * @param keys - public keys whose signatures are trusted.
 */
export async function startChain(folder: string, key: SigningKey, keys: readonly string[]): Promise<ChainStart> {
  const before = trustedRemoved(folder, keys);
  const segment = segmentsIn(folder).findLast((one) => one > (before?.through ?? 0));
  const missing = missingAfter(folder, segment ?? before?.through ?? 0, keys);
  if (missing !== undefined) return missing;
  if (segment === undefined)
    return { ...lastVouchedFor(folder, before?.through ?? 0, keys), segment: before?.through ?? 0, found: {} };
  const head = trustedHead(folder, segment, keys);
  const { size } = statSync(segmentFile(folder, segment));
  if (head === undefined) {
    if (size > 0)
      return {
        ...lastVouchedFor(folder, segment - 1, keys),
        segment,
        found: { broken: `segment ${segment} has lines, and no signature` },
      };
    return removeEmpty(folder, segment, keys);
  }
  if (head.closed && size === head.bytes)
    return { chain: head.chain, segment, seq: head.last, tip: head.tip, found: {} };
  return closeLeftSegment(folder, { segment, head, key, keys });
}

/** The end of the last segment after this one that was signed with lines and is not there. The chain goes on behind it, and its head stays. */
function missingAfter(folder: string, segment: number, keys: readonly string[]): ChainStart | undefined {
  const heads = headsIn(folder).filter((one) => one > segment);
  const head = heads.map((one) => trustedHead(folder, one, keys)).findLast((one) => (one?.bytes ?? 0) > 0);
  if (head === undefined) return undefined;
  const broken = `segment ${head.segment} was signed up to line ${head.last}, and is not there`;
  return { chain: head.chain, segment: head.segment, seq: head.last, tip: head.tip, found: { broken } };
}

/** The end of the last signed segment up to this one; otherwise the end of what retention removed, or a new chain. */
function lastVouchedFor(
  folder: string,
  segment: number,
  keys: readonly string[],
): Position & { readonly chain: string } {
  const heads = headsIn(folder)
    .filter((one) => one <= segment)
    .toReversed();
  for (const one of heads) {
    const head = trustedHead(folder, one, keys);
    if (head !== undefined) return { chain: head.chain, seq: head.last, tip: head.tip };
  }
  const removed = trustedRemoved(folder, keys);
  return removed === undefined
    ? { chain: randomUUID(), seq: 0, tip: NO_LINE }
    : { chain: removed.chain, seq: removed.last, tip: removed.tip };
}

/** Removes a segment that was begun but has no lines. */
async function removeEmpty(
  folder: string,
  segment: number,
  keys: readonly string[],
  cut: Pick<Found, 'cutBytes' | 'cutHash'> = {},
): Promise<ChainStart> {
  await rm(headFile(folder, segment), { force: true });
  await rm(segmentFile(folder, segment));
  return { ...lastVouchedFor(folder, segment - 1, keys), segment: segment - 1, found: cut };
}

type Left = {
  readonly segment: number;
  readonly head: Head;
  readonly key: SigningKey;
  readonly keys: readonly string[];
};

async function closeLeftSegment(folder: string, { segment, head, key, keys }: Left): Promise<ChainStart> {
  const file = segmentFile(folder, segment);
  const walk = new ChainWalk({ seq: head.first - 1, tip: head.prev });
  const unsigned = new UnsignedTime();
  // Sinks have signed lines only.
  const sent = linesSent(folder, keys).filter(({ chain, line }) => chain === head.chain && line > head.last);
  const found = new Set<string>();
  let { to } = head;
  let tipOfHead = head.prev;
  walk.takeAll(linesIn(file), ({ bytes }) => {
    const { seq, tip } = walk.position;
    if (seq === head.last) tipOfHead = tip;
    to = timeOf(bytes) ?? to;
    if (seq > head.last) unsigned.take(to);
    if (sent.some(({ line }) => line === seq)) found.add(tip);
  });
  const { seq, tip } = walk.position;
  const broken = brokenAt(segment, head, {
    isAsSigned: tipOfHead === head.tip && walk.end >= head.bytes,
    unsigned,
    missing: sent.find((line) => !found.has(line.tip)),
  });
  if (broken !== undefined) return { chain: head.chain, segment, seq: head.last, tip: head.tip, found: { broken } };
  const cut = await cutTail(file, walk.end);
  if (walk.end === 0) return removeEmpty(folder, segment, keys, cut);
  const { key: _key, signature: _signature, ...content } = head as Signed<Head>;
  await replaceFile(
    headFile(folder, segment),
    JSON.stringify(key.sign({ ...content, last: seq, tip, bytes: walk.end, to, closed: true } satisfies Head)),
  );
  return {
    chain: head.chain,
    segment,
    seq,
    tip,
    found: { ...(seq > head.last && { unsigned: seq - head.last }), ...cut },
  };
}

function brokenAt(
  segment: number,
  { last, closed }: Head,
  {
    isAsSigned,
    unsigned,
    missing,
  }: { readonly isAsSigned: boolean; readonly unsigned: UnsignedTime; readonly missing: SentLine | undefined },
): string | undefined {
  if (!isAsSigned || closed) return `segment ${segment} was signed up to line ${last}, and is not as it was signed`;
  if (missing !== undefined)
    return `segment ${segment} was signed up to line ${last}, and line ${missing.line}, which the sink \`${missing.sink}\` has, is not there`;
  return unsigned.isTooLong
    ? `segment ${segment} was signed up to line ${last}, and lines of ${unsigned.seconds} seconds follow`
    : undefined;
}

/** Cuts off the bytes after the last whole line and keeps them in a file next to the segment. After a start that failed in between, that file is used again. */
async function cutTail(file: string, end: number): Promise<Pick<Found, 'cutBytes' | 'cutHash'>> {
  const whole = readFileSync(file);
  if (whole.length <= end) return {};
  const tail = whole.subarray(end);
  let name = `${file}.cut`;
  for (let i = 2; existsSync(name) && !readFileSync(name).equals(tail); i += 1) name = `${file}.cut.${i}`;
  await replaceFile(name, tail);
  truncateSync(file, end);
  return { cutBytes: tail.length, cutHash: hashOf(tail) };
}
