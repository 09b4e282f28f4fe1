/** A thread that sends the audit to its sinks, without blocking the service or the writer of the audit. `sinks.ts` starts it. */
import { statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogFields } from '../../log/logger.ts';
import { chainsIn, keptSegmentsIn, segmentFile } from '../chain-files.ts';
import { lockFolder } from '../chain-folder.ts';
import { SigningKey } from '../signing-key.ts';
import { readCursor } from './cursor.ts';
import { HttpTarget } from './http-target.ts';
import { Sender, type Counted, type Progress } from './sender.ts';
import type { SinkOptions } from './sink-options.ts';
import { SyslogTarget } from './syslog-target.ts';

export type SinkThreadOptions = {
  /** The folder of the audit, and the name of the folder in it to which this process writes. */
  readonly root: string;
  readonly instance: string;
  readonly signingSecret: string;
  readonly formerKeys: readonly string[];
  readonly sinks: readonly SinkOptions[];
};

/** A message of the thread: a log entry, a number of lines, the reason of a failure, or the progress of each sink. */
export type SinkMessage =
  | { readonly level: 'error' | 'warn' | 'info'; readonly message: string; readonly fields: LogFields }
  | { readonly sink: string; readonly counted: Counted; readonly lines: number }
  | { readonly sink: string; readonly failed: string }
  | { readonly progress: readonly (readonly [sink: string, Progress])[] };

const TELL_EACH_MS = 1_000;
const LEFT_EACH_MS = 300_000;
/** An instance that restarts within this time gets its old folder back, unless another process takes it. */
const LEFT_FOR_MS = 60_000;

const { root, instance, signingSecret, formerKeys, sinks } = workerData as SinkThreadOptions;
const key = new SigningKey(signingSecret);
const keys = [key.publicKey, ...formerKeys];
const finishing = new AbortController();
/** With the name of the sink. */
const senders = new Map<Sender, string>();
const targets = sinks.map((sink) => ({
  sink,
  target:
    sink.target.type === 'http'
      ? new HttpTarget(sink.target, sink.timeoutMs)
      : new SyslogTarget(sink.target, sink.timeoutMs),
}));
try {
  // On Linux this is the priority of the thread alone.
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // The thread keeps its priority.
}

function post(message: SinkMessage): void {
  parentPort!.postMessage(message);
}

/** Sends one chain to all sinks. */
async function sendChain(name: string, isLeft: boolean): Promise<void> {
  await Promise.all(
    targets.map(async ({ sink, target }) => {
      const sender = new Sender({
        sink,
        target,
        folder: join(root, name),
        instance: name,
        key,
        keys,
        isLeft,
        finish: finishing.signal,
        say: (level, message, fields) => post({ level, message, fields }),
        count: (counted, lines) => post({ sink: sink.name, counted, lines }),
        fail: (why) => post({ sink: sink.name, failed: why }),
      });
      senders.set(sender, sink.name);
      try {
        await sender.run();
      } finally {
        if (isLeft) senders.delete(sender);
      }
    }),
  );
}

/** Sends chains whose writer is gone, such as the chain of a container that had another name. Any instance may send them. */
async function sendLeftChains(): Promise<void> {
  for (const { name, folder } of chainsIn(root))
    if (name !== instance && !finishing.signal.aborted)
      await sendLeftChain(name, folder).catch((error: unknown) => tellOnce(name, error));
  if (!finishing.signal.aborted) setTimeout(() => void sendLeftChains(), LEFT_EACH_MS).unref();
}

async function sendLeftChain(name: string, folder: string): Promise<void> {
  const release = isLeft(folder) ? lockFolder(folder) : undefined;
  if (release === undefined) return;
  try {
    await sendChain(name, true);
  } finally {
    release();
  }
}

const reported = new Set<string>();

function tellOnce(name: string, error: unknown): void {
  if (!reported.has(name))
    post({
      level: 'error',
      message: 'a chain of the audit whose writer is gone cannot be sent',
      fields: { instance: name, cause: error instanceof Error ? error.message : String(error) },
    });
  reported.add(name);
}

/** Whether nobody has written for some time and not everything was sent. */
function isLeft(folder: string): boolean {
  const last = keptSegmentsIn(folder).at(-1);
  if (last === undefined) return false;
  const { size, mtimeMs } = statSync(segmentFile(folder, last));
  // The absolute difference, because the clock may have been ahead when the file was written.
  return (
    Math.abs(Date.now() - mtimeMs) > LEFT_FOR_MS &&
    sinks.some(({ name }) => {
      const cursor = readCursor(folder, name, keys);
      return cursor?.segment !== last || cursor.at < size;
    })
  );
}

function tellProgress(): void {
  post({ progress: Array.from(senders, ([sender, sink]) => [sink, sender.progress] as const) });
}

/** Ends when it receives the message to finish. */
async function run(): Promise<void> {
  setInterval(tellProgress, TELL_EACH_MS).unref();
  parentPort!.once('message', () => finishing.abort());
  void sendLeftChains();
  const sent = sendChain(instance, false);
  // What waits is known before the first lines are reported as sent.
  tellProgress();
  await sent;
  tellProgress();
  await Promise.all(targets.map(({ target }) => target.close()));
  parentPort!.close();
}

void run();
