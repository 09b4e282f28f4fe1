import { existsSync, statSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  chainsIn,
  headFile,
  NO_LINE,
  REMOVED_FILE,
  replaceFile,
  segmentFile,
  segmentsIn,
  syncFolder,
  trustedHead,
  trustedRemoved,
  type Head,
  type Removed,
} from './chain-files.ts';
import { lockFolder } from './chain-folder.ts';
import type { SigningKey } from './signing-key.ts';
import { sinkWithout } from './sink/cursor.ts';

export type Retention = {
  readonly key: SigningKey;
  /** Public keys whose signatures are trusted. */
  readonly keys: readonly string[];
  /** Undefined to keep everything. */
  readonly retentionMs: number | undefined;
  /** Names of the sinks to which a segment has to be sent before it is removed. */
  readonly sinks: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** How often segments that have become too old are removed. */
const EACH_MS = 3_600_000;

/** Removes at once and then again and again, one removal after the other, until it is closed. */
export class RetentionTimer {
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void>;

  constructor(remove: () => Promise<void>) {
    this.#running = remove();
    this.#timer = setInterval(() => void (this.#running = this.#running.then(remove)), EACH_MS).unref();
  }

  /** Waits for a running removal. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}

/**
 * Removes segments whose last line is too old, the oldest first. The removal is signed before it happens, so that it can be distinguished from tampering.
 * Only segments that are signed and that follow what was removed before are removed: otherwise somebody could change a head to have lines removed.
 *
 * @param through - the last segment that may be removed.
 * @param isWhole - whether a segment with this head gets no further lines.
 * @throws {Error} with the reason why a segment that is too old stays.
 */
export async function removeOld(
  folder: string,
  retention: Retention,
  through: number,
  isWhole = ({ closed }: Head): boolean => closed,
): Promise<void> {
  const { key, keys, sinks, now } = retention;
  if (retention.retentionMs === undefined) return;
  let before = trustedRemoved(folder, keys);
  if (before === undefined && existsSync(join(folder, REMOVED_FILE)))
    throw new Error(`nothing is removed for its age: \`${REMOVED_FILE}\` is not as it was signed`);
  for (const segment of segmentsIn(folder)) {
    if (segment > through) return;
    const head = trustedHead(folder, segment, keys);
    const isLeft = head !== undefined && head.last === before?.last && head.tip === before.tip;
    if (
      head === undefined ||
      !isWhole(head) ||
      (!isLeft && (head.first !== (before?.last ?? 0) + 1 || head.prev !== (before?.tip ?? NO_LINE)))
    )
      throw new Error(
        `nothing more is removed for its age: segment ${segment} is not as it was signed, or does not follow what was removed`,
      );
    if (!isOld(head, retention)) return;
    const sink = sinkWithout({ folder, segment, bytes: head.bytes }, sinks, keys);
    if (sink !== undefined) throw new Error(`segment ${segment} is kept until it is sent to the sink \`${sink}\``);
    if (!isLeft) {
      before = {
        chain: head.chain,
        name: basename(folder),
        through: segment,
        last: head.last,
        tip: head.tip,
        to: head.to,
        at: new Date(now()).toISOString(),
      } satisfies Removed;
      await replaceFile(join(folder, REMOVED_FILE), JSON.stringify(key.sign(before)));
      await syncFolder(folder);
    }
    await unlink(segmentFile(folder, segment));
    await unlink(headFile(folder, segment));
  }
}

function isOld({ to }: Head, { retentionMs = Infinity, now }: Retention): boolean {
  return Date.parse(to) <= now() - retentionMs;
}

/**
 * Removes what is too old from chains whose writer is gone, such as the chain of a container that had another name. Lines that their writer did not sign stay:
 * only the writer can record that it found them.
 *
 * @param own - name of the chain that this process writes.
 */
export async function removeOldOfOthers(
  root: string,
  own: string,
  retention: Retention,
  failed: (folder: string, error: unknown) => void,
): Promise<void> {
  if (retention.retentionMs === undefined) return;
  try {
    for (const { name, folder } of chainsIn(root))
      if (name !== own) await removeOldOfOther(folder, retention).catch((error: unknown) => failed(folder, error));
  } catch (error) {
    failed(root, error);
  }
}

async function removeOldOfOther(folder: string, retention: Retention): Promise<void> {
  const [oldest] = segmentsIn(folder);
  const head = oldest === undefined ? undefined : trustedHead(folder, oldest, retention.keys);
  // A lock keeps the instance from its folder, so it is taken only when there is something to remove.
  if (head === undefined || !isOld(head, retention)) return;
  const release = lockFolder(folder);
  if (release === undefined) return;
  try {
    await removeOldOfLeft(folder, retention);
  } finally {
    release();
  }
}

/** A process that was killed leaves its last segment open, with all lines signed unless it wrote within the last two seconds. */
async function removeOldOfLeft(folder: string, retention: Retention): Promise<void> {
  const last = segmentsIn(folder).at(-1)!;
  const head = trustedHead(folder, last, retention.keys);
  const isWhole = head?.closed === true || head?.bytes === statSync(segmentFile(folder, last)).size;
  await removeOld(folder, retention, isWhole ? last : last - 1, ({ closed, segment }) => closed || segment === last);
}
