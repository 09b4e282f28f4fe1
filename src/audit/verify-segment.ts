import { statSync } from 'node:fs';
import { linesIn, MAX_LINE_BYTES, segmentFile, type FileLine, type Head } from './chain-files.ts';
import { ChainWalk, membersIn, timeOf, UnsignedTime, type Position } from './chain-walk.ts';
import { readHead } from './signed-files.ts';

type Place = { readonly folder: string; readonly segment: number; readonly isLast: boolean };
/** What is known after the segments so far. */
export type ChainState = {
  readonly chain: string | undefined;
  readonly position: Position;
  readonly signed: number;
  readonly lines: number;
};
type Tools = {
  readonly keys: readonly string[];
  readonly fault: (what: string) => void;
  readonly notes: string[];
  readonly see: (position: Position) => void;
};

/** Verifies the lines of a segment and its signature. @returns where the next segment has to begin. */
export function verifySegment(
  { folder, segment, isLast }: Place,
  { chain, position, signed, lines, keys, fault, notes, see }: ChainState & Tools,
): ChainState {
  const file = segmentFile(folder, segment);
  // A running service may have a new segment without lines; a segment with lines has a head.
  const { size } = statSync(file);
  const head = readHead(folder, segment, keys, fault);
  if (size === 0 && isLast && (head === undefined || head.bytes === 0)) return { chain, position, signed, lines };
  const first = firstLine(file);
  if (
    first === undefined ||
    first.kind !== 'segment' ||
    first.segment !== segment ||
    (chain ?? first.chain) !== first.chain
  )
    fault('its first line is not the start of this segment');
  const start = goOnFrom({ position, head, first, fault });
  const walk = new ChainWalk(start);
  let tipOfHead = start.tip;
  const unsigned = new UnsignedTime();
  const isWhole = walk.takeAll(linesIn(file), (line) => {
    const { position: now } = walk;
    if (now.seq === head?.last) tipOfHead = now.tip;
    if (head !== undefined && now.seq > head.last) unsigned.take(timeOf(line.bytes) ?? head.to);
    see(now);
    note(line, now.seq, notes);
  });
  const { seq } = walk.position;
  if (!isWhole)
    fault(
      `line ${seq + 1} does not follow line ${seq}: it was changed, inserted or moved, or a line before it was removed`,
    );
  else if (walk.end < size) {
    if (isLast && size - walk.end <= MAX_LINE_BYTES)
      notes.push(`what follows line ${seq} is not a whole line; the service cuts it off when it starts`);
    else fault(`what follows line ${seq} is not a whole line`);
  }
  checkHead({ head, walk, isLast, tipOfHead, fault });
  if (isLast && head?.closed === false && unsigned.isTooLong)
    fault(`lines of ${unsigned.seconds} seconds follow line ${head.last}, and a service signs them within two`);
  // The position from which the writer continued after a segment that somebody changed.
  const end = head === undefined || seq >= head.last ? walk.position : { seq: head.last, tip: head.tip };
  return {
    chain: chain ?? first?.chain ?? head?.chain,
    position: end,
    signed: head === undefined ? signed : Math.min(head.last, seq),
    lines: lines + seq - start.seq,
  };
}

type Start = {
  readonly position: Position;
  readonly head: Head | undefined;
  readonly first: FirstLine | undefined;
  readonly fault: (what: string) => void;
};

/** The lines of a segment are checked even if it does not follow the previous segment. */
function goOnFrom({ position, head, first, fault }: Start): Position {
  const begins =
    head !== undefined
      ? { seq: head.first - 1, tip: head.prev }
      : first === undefined
        ? position
        : { seq: first.seq - 1, tip: first.prev };
  if (begins.seq === position.seq && begins.tip === position.tip) return position;
  fault(
    begins.seq > position.seq
      ? `before it, ${linesText(position.seq + 1, begins.seq)} not there`
      : 'it does not follow the segment before it',
  );
  return begins;
}

type HeadCheck = {
  readonly head: Head | undefined;
  readonly isLast: boolean;
  readonly walk: ChainWalk;
  readonly tipOfHead: string;
  readonly fault: (what: string) => void;
};

function checkHead({ head, isLast, walk, tipOfHead, fault }: HeadCheck): void {
  if (head === undefined) {
    fault('it has no valid signature');
    return;
  }
  const { seq } = walk.position;
  if (seq < head.last)
    fault(
      `it was signed with ${head.last - head.first + 1} lines, and ${linesText(seq + 1, head.last)} missing or changed`,
    );
  else if (tipOfHead !== head.tip) fault(`line ${head.last} is not the one that was signed`);
  else if (head.closed && (seq > head.last || walk.end !== head.bytes))
    fault(`lines were added after line ${head.last}, with which it was closed`);
  else if (!head.closed && !isLast) fault(`lines after line ${head.last} were never signed`);
}

/** The lines of a range, and their verb. */
export function linesText(from: number, to: number): string {
  return from === to ? `line ${from} is` : `lines ${from} to ${to} are`;
}

type FirstLine = {
  readonly seq: number;
  readonly prev: string;
  readonly kind: string;
  readonly chain: string;
  readonly segment: number;
};

function firstLine(file: string): FirstLine | undefined {
  for (const [line] of linesIn(file)) return membersIn(line!.bytes) as FirstLine | undefined;
  return undefined;
}

/** Collects the lines in which the service describes the audit itself. */
function note({ bytes }: FileLine, seq: number, notes: string[]): void {
  const start = bytes.toString('latin1', 0, 200);
  if (start.includes('"kind":"resumed"')) {
    const { since, lost = 0 } = (membersIn(bytes) ?? {}) as { since?: string; lost?: number };
    notes.push(
      `before line ${seq}${since === undefined ? '' : `, from ${since},`} the audit could not be written; ${lost} lines about what only reads were lost`,
    );
  } else if (start.includes('"kind":"segment"')) {
    const { after } = (membersIn(bytes) ?? {}) as { after?: { unsigned?: number; cutBytes?: number; broken?: string } };
    if (after?.unsigned !== undefined)
      notes.push(
        `the ${after.unsigned} lines before line ${seq} were not signed when the service ended without a stop`,
      );
    if (after?.cutBytes !== undefined)
      notes.push(`before line ${seq}, ${after.cutBytes} bytes that were no whole line were cut off`);
    if (after?.broken !== undefined) notes.push(`the service found before line ${seq}: ${after.broken}`);
  }
}
