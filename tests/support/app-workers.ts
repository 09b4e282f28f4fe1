import cluster from 'node:cluster';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorkers } from '../../src/compose/start-workers.ts';
import type { RunningService } from '../../src/compose/start-service.ts';
import type { Settings } from '../../src/config/read/settings.ts';
import { inertRows } from '../../src/http/rows.ts';
import type { Logger } from '../../src/log/logger.ts';
import { failUnlessDocumented, type Watch } from './documented-answers.ts';
import { freePort } from './free-port.ts';

/** The service as the tests use it. With workers, a reload is applied later than it is asked for. */
export type AppService = Omit<RunningService, 'reload' | 'check' | 'metrics'> & {
  reload(next: Settings): string | Promise<string>;
};

type Options = {
  readonly count: number;
  readonly log: Logger;
  /** For what the workers write. */
  readonly directory: string;
  readonly webDirectory: string;
};

type Started = readonly [service: AppService, watch: Watch, output: () => string];

/** An answer, and how it differs from the OpenAPI document. */
type Told = readonly [answer: string, fault?: string];

let starting: Promise<unknown> = Promise.resolve();

/** Starts the service with several workers, whose parent is the process of the test. */
export function startAppWorkers(given: Settings, options: Options): Promise<Started> {
  // How workers start is one setting of the process.
  const started = starting.then(() => start(given, options));
  starting = started.catch(() => undefined);
  return started;
}

async function start(given: Settings, { count, log, directory, webDirectory }: Options): Promise<Started> {
  // Workers would share port 0 with those of other services of this process.
  const { metrics } = given.server;
  const settings: Settings = {
    ...given,
    server: { ...given.server, ...(metrics?.port === 0 && { metrics: { ...metrics, port: await freePort() } }) },
    ...(given.s3?.port === 0 && { s3: { ...given.s3, port: await freePort() } }),
  };
  const { auth, server } = settings;
  const hasProvider = !auth.enabled || auth.oidc !== undefined;
  const [answers, output] = [join(directory, 'answers'), join(directory, 'output')];
  // What is written into a file is there before the answer to a request, unlike what is written into a pipe.
  const fd = openSync(output, 'a');
  cluster.setupPrimary({
    exec: join(import.meta.dirname, 'app-worker.ts'),
    args: [webDirectory, answers, server.port, server.basePath, hasProvider].map(String),
    execArgv: [],
    stdio: ['ignore', fd, fd, 'ipc'],
  });
  const ended: string[] = [];
  const error: Logger['error'] = (message, fields) => {
    if (message.startsWith('a worker ')) ended.push(message);
    log.error(message, fields);
  };
  const workers = await startWorkers(settings, { count, log: { ...log, error }, socketFd: undefined });
  const written = () => ({
    output: readFileSync(output, 'utf8'),
    told: linesOf(answers).map((line) => JSON.parse(line) as Told),
  });
  let last: ReturnType<typeof written> | undefined;
  const now = () => last ?? written();
  return [
    {
      // A worker tells its own part of the room for thumbnails.
      settings: { ...workers.settings, thumbnails: settings.thumbnails },
      metricsPort: settings.server.metrics?.port,
      s3Port: settings.s3?.port,
      rows: inertRows('', hasProvider),
      reload: (next) => workers.reload(next),
      refused: (why) => workers.refused(why),
      stop: async () => {
        await workers.stop();
        last = written();
        closeSync(fd);
      },
    },
    {
      get seen() {
        return new Set(now().told.map(([answer]) => answer));
      },
      stop: () => {
        failUnlessDocumented(now().told.flatMap(([, fault]) => fault ?? []));
        if (ended.length > 0) throw new Error(ended.join('\n'));
      },
    },
    () => now().output,
  ];
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}
