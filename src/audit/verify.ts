import { chainsIn, hasChain, headsIn, isMissing, linksIn, NO_LINE, segmentsIn, type Removed } from './chain-files.ts';
import { isLeftOver, readRemoved } from './signed-files.ts';
import { linesSent } from './sink/cursor.ts';
import { linesText, verifySegment, type ChainState } from './verify-segment.ts';
import { Witnesses, type Witness } from './witnesses.ts';

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

function verifySegments(name: string, folder: string, { keys, witnesses: given }: Asked): ChainReport {
  const faults: ChainFault[] = [];
  const notes: string[] = [];
  const witnesses = new Witnesses(given, linesSent(folder, keys));
  // This order prevents false faults while a service is running: it begins a segment before its head, sends a line after it is written, and records a removal before it removes.
  const heads = headsIn(folder);
  const all = segmentsIn(folder);
  const removed = readRemoved(folder, keys, (what) =>
    faults.push({ segment: 0, what: `the note of what was removed for its age ${what}` }),
  );
  const { through: gone, last: before, tip } = removed ?? { through: 0, last: 0, tip: NO_LINE };
  const segments = all.filter((segment) => segment > gone);
  for (const fault of filesFaults({ folder, keys, heads, all, removed })) faults.push(fault);
  witnesses.found({ seq: before, tip });
  let state: ChainState = { chain: removed?.chain, position: { seq: before, tip }, signed: before, lines: 0 };
  let expected = gone + 1;
  for (const [i, segment] of segments.entries()) {
    const fault = (what: string): void => void faults.push({ segment, what });
    if (segment !== expected)
      fault(
        `${segment - expected === 1 ? `segment ${expected} is` : `segments ${expected} to ${segment - 1} are`} not there`,
      );
    expected = segment + 1;
    state = verifySegment(
      { folder, segment, isLast: i === segments.length - 1 },
      { ...state, keys, fault, notes, see: (position) => witnesses.found(position) },
    );
  }
  const { chain = '', position, signed, lines } = state;
  const segment = segments.at(-1) ?? 0;
  for (const fault of witnesses.faults({ chain, segment, last: position.seq, signed, removed: before }))
    faults.push(fault);
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
    removed: before,
    notes,
    faults,
  };
}

type ChainFiles = {
  readonly folder: string;
  readonly keys: readonly string[];
  readonly heads: readonly number[];
  readonly all: readonly number[];
  readonly removed: Removed | undefined;
};

/** Files that are there and should not be, and the other way round. */
function* filesFaults({ folder, keys, heads, all, removed }: ChainFiles): Generator<ChainFault> {
  for (const segment of all)
    if (removed !== undefined && segment <= removed.through && !isLeftOver(folder, segment, removed, keys))
      yield { segment, what: `it is there, though segments up to ${removed.through} were removed for their age` };
  for (const segment of heads)
    if (segment > (removed?.through ?? 0) && !all.includes(segment))
      yield { segment, what: 'it was signed, and is not there' };
  for (const link of linksIn(folder))
    yield { segment: Number.parseInt(link, 10) || 0, what: `\`${link}\` is a symbolic link` };
}
