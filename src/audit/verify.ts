import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  chainsIn,
  hasChain,
  headFile,
  headsIn,
  isMissing,
  linesIn,
  linksIn,
  NO_LINE,
  REMOVED_FILE,
  segmentFile,
  segmentsIn,
  trustedHead,
  type FileLine,
  type Head,
  type Removed,
} from './chain-files.ts';
import { ChainWalk, membersIn, timeOf, UnsignedTime, type Position } from './chain-walk.ts';
import { isSignedBy, type Signed } from './signing-key.ts';
import { linesSent } from './sink/cursor.ts';

/** What is wrong with a segment of a chain. */
export type ChainFault = { readonly segment: number; readonly what: string };

/** The result for one chain. Without faults, every line up to `signed` is unchanged. */
export type ChainReport = {
  /** Name of the folder. */
  readonly name: string;
  readonly chain: string;
  readonly segments: number;
  readonly lines: number;
  /** Number and hash of the last line. Compare them with the log or an earlier report: the files alone cannot show that the newest lines were removed. */
  readonly last: number;
  readonly tip: string;
  /** Number of the last signed line. */
  readonly signed: number;
  /** Number of the last line that was removed because of its age. */
  readonly removed: number;
  /** What the service itself recorded about the chain: where a process was killed, and where lines were lost. */
  readonly notes: readonly string[];
  readonly faults: readonly ChainFault[];
};

/** A line that was seen elsewhere, for example in the log, which names signed lines only. The chain must contain it, with a signature. */
export type Witness = { readonly line: number; readonly hash: string };

/**
 * Verifies every line of every chain. It only reads files.
 *
 * @param keys - public keys whose signatures are trusted.
 * @param witnesses - lines that were seen elsewhere, by the name of the folder.
 */
export function verifyAudit(
  root: string,
  keys: readonly string[],
  witnesses: ReadonlyMap<string, readonly Witness[]> = new Map(),
): ChainReport[] {
  const isChain = (folder: string): boolean => hasChain(folder) || linesSent(folder, keys).length > 0;
  const reports = chainsIn(root, isChain).map(({ name, folder }) =>
    verifyChain(name, folder, { keys, witnesses: witnesses.get(name) ?? [] }),
  );
  for (const name of linksIn(root))
    reports.push({ ...NOTHING, name, faults: [{ segment: 0, what: `\`${name}\` is a symbolic link` }] });
  for (const name of witnesses.keys())
    if (!reports.some((report) => report.name === name))
      reports.push({ ...NOTHING, name, faults: [{ segment: 0, what: 'the chain is not there' }] });
  return reports;
}

const NOTHING = { chain: '', segments: 0, lines: 0, last: 0, tip: NO_LINE, signed: 0, removed: 0, notes: [] } as const;

type Asked = { readonly keys: readonly string[]; readonly witnesses: readonly Witness[] };

/** How often a chain is verified again because retention removed a segment while it was read. */
const MAX_AGAIN = 3;

function verifyChain(name: string, folder: string, asked: Asked, again = 0): ChainReport {
  try {
    return verifySegments(name, folder, asked);
  } catch (error) {
    if (!isMissing(error) || again === MAX_AGAIN) throw error;
    return verifyChain(name, folder, asked, again + 1);
  }
}

function verifySegments(name: string, folder: string, { keys, witnesses }: Asked): ChainReport {
  const faults: ChainFault[] = [];
  const notes: string[] = [];
  const sent = linesSent(folder, keys);
  // This order prevents false faults while a service is running: it begins a segment before its head, sends a line after it is written, and records a removal before it removes.
  const heads = headsIn(folder);
  const all = segmentsIn(folder);
  const removed = readRemoved(folder, keys, faults);
  const segments = all.filter((segment) => segment > (removed?.through ?? 0));
  for (const segment of all)
    if (removed !== undefined && segment <= removed.through && !isLeftOver(folder, segment, removed, keys))
      faults.push({
        segment,
        what: `it is there, though segments up to ${removed.through} were removed for their age`,
      });
  for (const segment of heads)
    if (segment > (removed?.through ?? 0) && !all.includes(segment))
      faults.push({ segment, what: 'it was signed, and is not there' });
  for (const link of linksIn(folder))
    faults.push({ segment: Number.parseInt(link, 10) || 0, what: `\`${link}\` is a symbolic link` });
  const state = {
    chain: removed?.chain,
    position: { seq: removed?.last ?? 0, tip: removed?.tip ?? NO_LINE } as Position,
    signed: removed?.last ?? 0,
    lines: 0,
  };
  const seen = [
    ...witnesses.map((witness) => ({ ...witness, where: 'was seen elsewhere', chain: undefined })),
    ...sent.map(({ sink, chain, line, tip }) => ({ line, hash: tip, where: `the sink \`${sink}\` has`, chain })),
  ];
  const open = new Map(seen.map((witness) => [`${witness.line} ${witness.hash}`, witness]));
  open.delete(`${state.position.seq} ${state.position.tip}`);
  open.delete(`0 ${NO_LINE}`);
  let expected = (removed?.through ?? 0) + 1;
  for (const [i, segment] of segments.entries()) {
    const fault = (what: string): void => void faults.push({ segment, what });
    if (segment !== expected)
      fault(
        `${segment - expected === 1 ? `segment ${expected} is` : `segments ${expected} to ${segment - 1} are`} not there`,
      );
    expected = segment + 1;
    const found = verifySegment(
      { folder, segment, isLast: i === segments.length - 1 },
      { ...state, keys, fault, notes, see: ({ seq, tip }) => void open.delete(`${seq} ${tip}`) },
    );
    Object.assign(state, found);
  }
  const { chain = '', position, signed, lines } = state;
  const last = segments.at(-1) ?? 0;
  for (const { line, where, chain: of } of open.values()) {
    if (of !== undefined && chain !== '' && of !== chain) {
      faults.push({ segment: last, what: `line ${line} of another chain, which ${where}, is not there` });
      continue;
    }
    const isRemoved = line < (removed?.last ?? 0);
    // A sink may have older lines than the files.
    if (isRemoved && of !== undefined) continue;
    if (isRemoved)
      faults.push({
        segment: 0,
        what: `line ${line}, which was seen elsewhere, was removed for its age, and cannot be compared`,
      });
    else
      faults.push({
        segment: last,
        what: `line ${line}, which ${where}, is ${line > position.seq ? 'not there' : 'different here'}`,
      });
  }
  for (const { line, hash } of witnesses) {
    if (line > signed && !open.has(`${line} ${hash}`))
      faults.push({
        segment: last,
        what: `line ${line}, which was seen elsewhere, is not signed: somebody put back an older signature`,
      });
  }
  if (signed < position.seq && faults.length === 0)
    notes.push(
      `${linesText(signed + 1, position.seq)} not signed yet; a service that runs signs them within two seconds`,
    );
  return {
    name,
    chain,
    segments: segments.length,
    lines,
    last: position.seq,
    tip: position.tip,
    signed,
    removed: removed?.last ?? 0,
    notes,
    faults,
  };
}

type Place = { readonly folder: string; readonly segment: number; readonly isLast: boolean };
type State = {
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

function verifySegment(
  { folder, segment, isLast }: Place,
  { chain, position, signed, lines, keys, fault, notes, see }: State & Tools,
): State {
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
  else if (walk.end < statSync(file).size) {
    if (isLast) notes.push(`what follows line ${seq} is not a whole line; the service cuts it off when it starts`);
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

function linesText(from: number, to: number): string {
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

function readHead(
  folder: string,
  segment: number,
  keys: readonly string[],
  fault: (what: string) => void,
): Head | undefined {
  const head = readSignature<Head>(headFile(folder, segment), keys, (what) => fault(`its head ${what}`));
  if (head === undefined || (head.name === basename(folder) && head.segment === segment)) return head;
  fault(
    `its head is that of ${head.name === basename(folder) ? '' : 'another chain, '}segment ${head.segment} of \`${head.name}\``,
  );
  return undefined;
}

function readRemoved(folder: string, keys: readonly string[], faults: ChainFault[]): Removed | undefined {
  const fault = (what: string): void =>
    void faults.push({ segment: 0, what: `the note of what was removed for its age ${what}` });
  const removed = readSignature<Removed>(join(folder, REMOVED_FILE), keys, fault);
  if (removed === undefined || removed.name === basename(folder)) return removed;
  fault(`is that of another chain, \`${removed.name}\``);
  return undefined;
}

/** Whether a segment was left by a crash between the record of its removal and the removal, or has just been removed. */
function isLeftOver(
  folder: string,
  segment: number,
  { through, last, tip }: Removed,
  keys: readonly string[],
): boolean {
  const head = trustedHead(folder, segment, keys);
  return !existsSync(segmentFile(folder, segment)) || (segment === through && head?.last === last && head.tip === tip);
}

function readSignature<T extends object>(
  file: string,
  keys: readonly string[],
  fault: (what: string) => void,
): Signed<T> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Signed<T>;
    if (isSignedBy(keys, found)) return found;
    fault(
      keys.includes(found.key)
        ? 'is not as it was signed'
        : `was signed with another key, \`${found.key.slice(0, 43)}\``,
    );
  } catch {
    fault('cannot be read');
  }
  return undefined;
}
