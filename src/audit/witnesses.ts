import { NO_LINE } from './chain-files.ts';
import type { Position } from './chain-walk.ts';
import type { SentLine } from './sink/cursor.ts';

/** A line that was seen elsewhere, for example in the log, which names signed lines only. The chain must contain it, with a signature. */
export type Witness = { readonly line: number; readonly hash: string };

type Seen = Witness & { readonly where: string; readonly chain: string | undefined };

/** What was found of the chain: the last segment, the number of its last line, and of the last that is signed or was removed because of its age. */
type FoundChain = {
  readonly chain: string;
  readonly segment: number;
  readonly last: number;
  readonly signed: number;
  readonly removed: number;
};

/** The lines that a chain must contain: those that somebody saw, and those that its sinks have. */
export class Witnesses {
  readonly #all: readonly Seen[];
  /** Those that were not found yet, by their number and hash. */
  readonly #open: Map<string, Seen>;

  constructor(given: readonly Witness[], sent: readonly SentLine[]) {
    this.#all = [
      ...given.map((witness) => ({ ...witness, where: 'was seen elsewhere', chain: undefined })),
      ...sent.map(({ sink, chain, line, tip }) => ({ line, hash: tip, where: `the sink \`${sink}\` has`, chain })),
    ];
    this.#open = new Map(this.#all.map((witness) => [idOf(witness.line, witness.hash), witness]));
    this.found({ seq: 0, tip: NO_LINE });
  }

  found({ seq, tip }: Position): void {
    this.#open.delete(idOf(seq, tip));
  }

  /** What is wrong with the lines that were not found, or are not signed. */
  *faults({ chain, segment, last, signed, removed }: FoundChain): Generator<{
    readonly segment: number;
    readonly what: string;
  }> {
    for (const { line, where, chain: of } of this.#open.values()) {
      if (of !== undefined && chain !== '' && of !== chain)
        yield { segment, what: `line ${line} of another chain, which ${where}, is not there` };
      else if (line >= removed)
        yield { segment, what: `line ${line}, which ${where}, is ${line > last ? 'not there' : 'different here'}` };
      // A sink may have older lines than the files.
      else if (of === undefined)
        yield {
          segment: 0,
          what: `line ${line}, which was seen elsewhere, was removed for its age, and cannot be compared`,
        };
    }
    // The log and the sinks have signed lines only.
    for (const { line, hash, where } of this.#all) {
      if (line > signed && !this.#open.has(idOf(line, hash)))
        yield { segment, what: `line ${line}, which ${where}, is not signed: somebody put back an older signature` };
    }
  }
}

function idOf(line: number, hash: string): string {
  return `${line} ${hash}`;
}
