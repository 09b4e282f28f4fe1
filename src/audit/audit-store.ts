import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../log/logger.ts';
import { SvcError } from '../errors/svc-error.ts';
import { notWritable, takeFolder } from './chain-folder.ts';
import { startChain } from './chain-start.ts';
import { Chain, timeText } from './chain.ts';
import { membersOf, type LineRecord } from './line-members.ts';
import { operations, type OperationName } from './operations.ts';
import type { Audit, AuditRecord, Intent } from './record.ts';
import { RetentionTimer, removeOldOfOthers, type Retention } from './retention.ts';
import { SigningKey } from './signing-key.ts';
import type { SinkOptions } from './sink/sink-options.ts';
import { Sinks, type SinkState } from './sink/sinks.ts';

export type AuditStoreOptions = {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Name of the folder of this instance; undefined to use the host name. */
  readonly instance: string | undefined;
  readonly signingSecret: string;
  /** Public keys that were in use earlier. */
  readonly formerKeys: readonly string[];
  readonly segmentBytes: number;
  readonly retentionMs: number | undefined;
  readonly reads: 'all' | 'none';
  /** Whether operations that only read are refused too while the audit cannot be written. */
  readonly required: boolean;
  /** The places to which the lines are sent. */
  readonly sinks: readonly SinkOptions[];
};

/** When this many characters wait to be written, operations that only read also wait, or continue without a line. */
const SLOW_BACKLOG = 4 * 1_048_576;

/** How long `close` waits for the end of running changes, and how often it checks. */
const END_MS = 2_000;
const LOOK_MS = 20;

/** Keeps audit lines in a folder: one chain of lines for each writing process, in segments that are closed with a signature. */
export class AuditStore implements Audit {
  readonly reads: 'all' | 'none';
  /** The name of the folder of this process. */
  readonly instance: string;
  readonly #chain: Chain;
  readonly #required: boolean;
  readonly #now: () => number;
  readonly #release: () => void;
  readonly #removing: RetentionTimer;
  readonly #sinks: Sinks | undefined;
  /** How many intents are being written. */
  #intending = 0;
  /** The numbers of the intents whose end is not known yet. */
  readonly #intended = new Set<number>();
  #timed = { at: Number.NaN, text: '' };

  private constructor(
    chain: Chain,
    { reads, required }: AuditStoreOptions,
    more: {
      readonly instance: string;
      readonly now: () => number;
      readonly release: () => void;
      readonly removing: RetentionTimer;
      readonly sinks: Sinks | undefined;
    },
  ) {
    this.#chain = chain;
    this.reads = reads;
    this.#required = required;
    this.instance = more.instance;
    this.#now = more.now;
    this.#release = more.release;
    this.#removing = more.removing;
    this.#sinks = more.sinks;
  }

  /**
   * Takes a folder and continues the chain in it.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  static async open(
    options: AuditStoreOptions,
    { log, now }: { readonly log: Logger; readonly now: () => number },
  ): Promise<AuditStore> {
    const key = new SigningKey(options.signingSecret);
    mkdirSync(options.path, { recursive: true, mode: 0o700 });
    const { folder, release } = takeFolder(options.path, options.instance);
    try {
      const keys = [key.publicKey, ...options.formerKeys];
      const start = await startChain(folder, key, keys);
      if (start.found.broken !== undefined) log.error(`the audit in \`${folder}\` is broken: ${start.found.broken}`);
      else if (Object.keys(start.found).length > 0)
        log.warn(`the audit in \`${folder}\` was left without a stop`, { ...start.found });
      log.info('the audit is open', {
        folder,
        chain: start.chain,
        line: start.seq,
        lineHash: start.tip,
        publicKey: key.publicKey,
      });
      const retention: Retention = {
        key,
        keys,
        retentionMs: options.retentionMs,
        sinks: options.sinks.map(({ name }) => name),
        now,
      };
      const notRemoved = (of: string, error: unknown): void =>
        log.error('the audit keeps what is older than it should', { folder: of, cause: error });
      const chain = new Chain({
        ...retention,
        folder,
        start,
        segmentBytes: options.segmentBytes,
        reads: options.reads,
        tell: {
          closed: ({ segment, last, tip }) =>
            log.info('a segment of the audit is closed', { folder, segment, line: last, lineHash: tip }),
          signed: ({ last, tip }) => log.info('the audit is signed', { folder, line: last, lineHash: tip }),
          failed: (error) =>
            log.error('the audit cannot be written; make room on the disk of `audit.path`, or mend it', {
              folder,
              cause: error,
            }),
          notRemoved: (error) => notRemoved(folder, error),
          resumed: (lost) => log.warn('the audit is written again', { folder, lost }),
        },
      });
      const { path: root, signingSecret, formerKeys } = options;
      const sinks =
        options.sinks.length === 0
          ? undefined
          : new Sinks({ root, instance: basename(folder), signingSecret, formerKeys, sinks: options.sinks }, log);
      const removing = new RetentionTimer(() => removeOldOfOthers(root, basename(folder), retention, notRemoved));
      return new AuditStore(chain, options, { instance: basename(folder), now, release, removing, sinks });
    } catch (error) {
      release();
      throw error instanceof SvcError ? error : notWritable(folder, error);
    }
  }

  /** Age in seconds of the oldest line that is not on the disk yet. */
  get lagSeconds(): number {
    return this.#chain.lagSeconds;
  }

  /** The number of lines dropped since the start. */
  get lostLines(): number {
    return this.#chain.lost;
  }

  ready(kind: 'change' | 'content' | 'read'): Promise<void> | undefined {
    if (!this.#chain.isFailing && this.#chain.backlog < SLOW_BACKLOG) return undefined;
    return kind === 'change' || this.#required ? this.check() : undefined;
  }

  /**
   * Resolves when a line can be written.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  async check(): Promise<void> {
    if (this.#chain.isFailing || this.#chain.backlog >= SLOW_BACKLOG) await this.#chain.commit('');
  }

  async intend(intent: Intent): Promise<number> {
    const bodies = this.#bodies('intent', intent);
    this.#intending += 1;
    try {
      const [first = 0] = await Promise.all(bodies.map((body) => this.#chain.commit(body)));
      this.#intended.add(first);
      return first;
    } finally {
      this.#intending -= 1;
    }
  }

  write(record: AuditRecord): Promise<void> | undefined {
    const { operation, why, intent } = record;
    const bodies = this.#bodies('outcome', record);
    if (!mustWait(operation, why)) {
      for (const body of bodies) this.#chain.append(body);
      return undefined;
    }
    const written = Promise.all(bodies.map((body) => this.#chain.commit(body))).then(() => undefined);
    if (intent !== undefined) this.#intended.delete(intent);
    return written;
  }

  /** The progress of each sink. */
  sinks(): readonly SinkState[] {
    return this.#sinks?.states() ?? [];
  }

  /** Waits up to two seconds for changes that have begun, so that their lines are written. Everything that performs operations has to be closed before. */
  async close(): Promise<void> {
    await this.#removing.close();
    const until = performance.now() + END_MS;
    while (this.#intending + this.#intended.size > 0 && performance.now() < until) await wait(LOOK_MS);
    // In the same turn of the event loop, so that no change begins in between.
    await this.#chain.close();
    await this.#sinks?.close();
    this.#release();
  }

  /** Makes lines with the current time, at least one. The text of the time is reused, because most lines share a millisecond with others. */
  #bodies(kind: 'intent' | 'outcome', record: LineRecord): string[] {
    const now = this.#now();
    if (now !== this.#timed.at) this.#timed = { at: now, text: timeText(now) };
    const start = `{"time":"${this.#timed.text}","kind":"${kind}",`;
    return membersOf(record).map((members) => start + members);
  }
}

/** Whether the answer waits for the line. The answer to a change does, unless it was refused because the audit cannot be written. */
function mustWait(operation: OperationName, why: string | undefined): boolean {
  return operations[operation].kind === 'change' && why !== 'audit_unavailable';
}
