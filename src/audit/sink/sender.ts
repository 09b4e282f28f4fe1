import { setTimeout as wait } from 'node:timers/promises';
import type { LogFields } from '../../log/logger.ts';
import type { SigningKey } from '../signing-key.ts';
import { timeText } from '../chain.ts';
import { ChainFollower, type Batch } from './chain-follower.ts';
import { hashOf } from '../chain-walk.ts';
import { readCursor, writeCursor, type Cursor, type ChainPosition } from './cursor.ts';
import type { SinkOptions } from './sink-options.ts';
import { DeliveryError, reasonOf, type Target } from './target.ts';
import { isWanted } from './wanted-line.ts';

/** A chain, and the sink to which it is sent. */
export type SenderOptions = {
  readonly sink: Pick<SinkOptions, 'name' | 'spoolBytes' | 'only'>;
  readonly target: Target;
  readonly folder: string;
  /** Name of the chain's folder. */
  readonly instance: string;
  readonly key: SigningKey;
  /** Public keys whose signatures are trusted. */
  readonly keys: readonly string[];
  /** Whether the chain has no writer. It is then sent to its end, or until the first failure. */
  readonly isLeft: boolean;
  /** When it aborts, the existing lines are sent, to their end or until the first failure. */
  readonly finish: AbortSignal;
  readonly say: (level: 'error' | 'warn' | 'info', message: string, fields: LogFields) => void;
  /** Called with each number of lines that the receiver took or will never get. */
  readonly count: (what: Counted, lines: number) => void;
  /** Called with the reason of each attempt that failed. */
  readonly fail: (why: string) => void;
};

export type Counted = 'sent' | 'skipped';

/** How much of a chain was sent to a sink. */
export type Progress = {
  /** When the oldest waiting line was written, in milliseconds since the epoch. */
  readonly since: number | undefined;
  readonly unsentBytes: number;
  readonly isFailing: boolean;
};

/** How often it checks for new lines. */
const LOOK_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
const REMIND_MS = 300_000;

/** Sends one chain to one sink, beginning at its cursor, each line at least once. It reads from the segments and keeps no copy of waiting lines. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #follower: ChainFollower;
  #cursor: Cursor | undefined;
  #since: number | undefined;
  #maxLines = Infinity;
  #failures = 0;
  /** How many lines were too large on their own since the last one was taken. */
  #tooLarge = 0;
  #remindedAt = 0;
  #saidOfCursorAt = -Infinity;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#follower = new ChainFollower(options.folder, options.keys, options.isLeft);
  }

  get progress(): Progress {
    return {
      since: this.#since,
      unsentBytes: this.#cursor === undefined ? 0 : this.#follower.bytesBehind(this.#cursor),
      isFailing: this.#failures > 0,
    };
  }

  /** Ends when `finish` aborts, or when a chain without a writer is sent. */
  async run(): Promise<void> {
    const { finish, isLeft } = this.#options;
    const isLast = (): boolean => isLeft || finish.aborted;
    for (;;) {
      const cursor = (this.#cursor ??= this.#begin());
      const batch = cursor === undefined ? undefined : this.#next(cursor);
      this.#since = batch?.since;
      if (cursor === undefined || batch === undefined) {
        if (isLast()) return;
        await this.#wait(LOOK_MS);
        continue;
      }
      const failure = await this.#send(cursor, batch);
      if (failure === undefined) continue;
      if (isLast()) return;
      await this.#wait(this.#pause(failure));
    }
  }

  /** The cursor from which it continues. */
  #begin(): Cursor | undefined {
    const {
      sink: { name: sink },
      instance: name,
      say,
    } = this.#options;
    const begin = this.#follower.begin();
    if (begin === undefined) return undefined;
    const cursor = this.#follower.cursorOf(sink, begin.chain);
    if (cursor !== undefined) return cursor;
    const { line, tip } = readCursor(this.#options.folder, sink, this.#options.keys) ?? {};
    if (tip === undefined)
      say('info', 'a sink begins with the first line of the audit that is kept', { sink, instance: name });
    else
      say('error', 'a sink has lines that the audit has no more: somebody removed them, or put back an older copy', {
        sink,
        instance: name,
        line,
        lineHash: tip,
      });
    return { sink, name, chain: begin.chain, ...begin.place, skipped: 0 };
  }

  #next(place: ChainPosition): Batch | undefined {
    const { sink } = this.#options;
    const isTooFarBehind = this.#follower.bytesBehind(place) > sink.spoolBytes;
    return this.#follower.next(isTooFarBehind ? this.#follower.skip(place, sink.spoolBytes) : place, this.#maxLines);
  }

  /** @returns the reason when the lines were not taken. */
  async #send(cursor: Cursor, batch: Batch): Promise<Error | undefined> {
    const {
      target,
      instance,
      sink: { only },
    } = this.#options;
    const { lines, first, begin, end } = batch;
    const wanted = only === undefined ? lines : lines.filter((line) => isWanted(line, only));
    const missed = first - cursor.line - 1;
    if (missed > 0)
      await this.#skip(missed, { ...cursor, ...begin }, 'more than `spool_bytes` waited, or somebody removed them');
    try {
      if (wanted.length > 0) await target.send(wanted, { instance, first, last: end.line });
    } catch (error) {
      return this.#notTaken(error as Error, batch);
    }
    this.#options.count('sent', wanted.length);
    this.#maxLines *= 2;
    await this.#moveTo({ ...this.#cursor!, ...end, tip: hashOf(lines.at(-1)!) });
    if (this.#failures > 0)
      this.#options.say('warn', 'a sink of the audit takes lines again', this.#about({ line: end.line }));
    this.#failures = 0;
    this.#tooLarge = 0;
    return undefined;
  }

  async #notTaken(error: Error, { lines, end }: Batch): Promise<Error | undefined> {
    // The receiver may be too slow for so many lines, or something in between may cut them off without saying so.
    this.#maxLines = Math.ceil(lines.length / 2);
    if (error instanceof DeliveryError && error.isTooLarge) {
      if (lines.length > 1) return undefined;
      await this.#skip(1, { ...this.#cursor!, ...end }, 'the receiver says that the line is too large');
      this.#tooLarge += 1;
      // A receiver that rejects one line after the other as too large may mean something else. Sending stops here, so that not all lines are skipped before
      // somebody notices.
      return this.#tooLarge > 1 ? error : undefined;
    }
    this.#failures += 1;
    this.#options.fail(reasonOf(error));
    if (this.#failures === 1 || performance.now() - this.#remindedAt >= REMIND_MS) {
      this.#remindedAt = performance.now();
      this.#options.say(
        'error',
        'a sink of the audit takes no lines',
        this.#about({
          cause: reasonOf(error),
          failures: this.#failures,
          unsentBytes: this.#follower.bytesBehind(this.#cursor!),
          since: timeText(this.#since!),
        }),
      );
    }
    return error;
  }

  /** If the cursor cannot be written, the position is kept in memory; after a restart, lines are sent again. */
  async #moveTo(cursor: Cursor): Promise<void> {
    this.#cursor = cursor;
    const { folder, key } = this.#options;
    await writeCursor(folder, cursor, key).catch((error: unknown) => {
      if (performance.now() - this.#saidOfCursorAt < REMIND_MS) return;
      this.#saidOfCursorAt = performance.now();
      this.#options.say(
        'error',
        'the cursor of a sink of the audit cannot be written',
        this.#about({ cause: reasonOf(error as Error) }),
      );
    });
  }

  /** Continues after lines that will never be sent. */
  async #skip(lines: number, to: Cursor, why: string): Promise<void> {
    const skipped = to.skipped + lines;
    this.#options.count('skipped', lines);
    this.#options.say(
      'error',
      'an audit sink will never receive some lines',
      this.#about({ lines, before: to.line + 1, total: skipped, why }),
    );
    await this.#moveTo({ ...to, skipped, tip: undefined });
  }

  #about(more: LogFields): LogFields {
    const {
      sink: { name: sink },
      instance,
    } = this.#options;
    return { sink, instance, ...more };
  }

  /** The pause before the next attempt. It doubles after each failure and is randomised, so that many senders do not retry at once. */
  #pause(failure: Error): number {
    const longest = Math.min(
      LONGEST_RETRY_MS,
      FIRST_RETRY_MS * 2 ** Math.min(Math.max(this.#failures, this.#tooLarge) - 1, 10),
    );
    const asked = failure instanceof DeliveryError ? (failure.retryAfterMs ?? 0) : 0;
    return asked + longest * (0.5 + Math.random() / 2);
  }

  async #wait(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#options.finish }).catch(() => undefined);
  }
}
