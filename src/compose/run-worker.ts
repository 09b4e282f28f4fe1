import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Settings } from '../config/read/settings.ts';
import { logConsoleWarnings } from '../log/console-warnings.ts';
import { createLogger } from '../log/logger.ts';
import type { HubCalls } from '../workers/hub.ts';
import { Link } from '../workers/link.ts';
import { SharedMemory } from '../workers/shared-memory.ts';
import type { ComposeOptions } from './compose.ts';
import { startService, type RunningService } from './start-service.ts';

export type WorkerCalls = ReturnType<typeof callsOf>;

/** One of `count` workers. The successor of a worker has its number. */
export type WorkerPlace = { readonly number: number; readonly count: number };

type WorkerOptions = Pick<ComposeOptions, 'version' | 'webDirectory'>;

/** Runs one of several processes that answer the requests of a service. It starts and stops when its parent says so, and ends with its parent. */
export function runWorker(options: WorkerOptions): void {
  // A terminal and systemd signal every process of a group. The parent alone acts on it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const memory: SharedMemory = new SharedMemory(() => hub);
  const hub: Link<HubCalls> = new Link(
    {
      // A message that cannot be sent has no reader: the process ends with its parent.
      send: (message) => void process.send!(message, undefined, undefined, () => undefined),
      onMessage: (listener) => void process.on('message', listener),
    },
    callsOf(memory, options),
  );
}

function callsOf(memory: SharedMemory, options: WorkerOptions) {
  let starting: Promise<RunningService> | undefined;
  let place: WorkerPlace = { number: 1, count: 1 };
  const service = async (): Promise<RunningService> => {
    if (starting === undefined) throw new Error('this worker was not started');
    return starting;
  };
  return {
    ...memory.calls,
    /** @returns the settings with the port on which the service listens. */
    start: async (settings: Settings, of: WorkerPlace, socketFd: number | undefined): Promise<Settings> => {
      place = of;
      const log = createLogger({ ...settings.log, worker: place.number });
      logConsoleWarnings(log);
      starting = startService(withOwnThumbnails(settings, place), {
        ...options,
        log,
        socketFd,
        shared: memory,
      });
      const started = await starting;
      // Node writes its compile cache at exit, which a killed process never reaches.
      flushCompileCache();
      return started.settings;
    },
    check: async (next: Settings) => (await service()).check(withOwnThumbnails(next, place)),
    reload: async (next: Settings) => (await service()).reload(withOwnThumbnails(next, place)),
    /** The parent has told the log. */
    refused: async () => (await service()).metrics?.reloaded(false),
    metrics: async () => (await service()).metrics?.values() ?? [],
    /** Answers only when the event loop runs. */
    live: () => undefined,
    stop: async () => (await service()).stop(),
  };
}

/** Each worker has a folder of its own, and its part of the room. */
function withOwnThumbnails(settings: Settings, { number, count }: WorkerPlace): Settings {
  const { thumbnails } = settings;
  if (thumbnails === undefined) return settings;
  const { path, maxBytes } = thumbnails;
  const own = path === undefined || number === 1 ? path : join(path, `worker-${number}`);
  return { ...settings, thumbnails: { path: own, maxBytes: Math.floor(maxBytes / count) } };
}
