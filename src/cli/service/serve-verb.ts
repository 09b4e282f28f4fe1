import type { Command } from 'commander';
import { faultLine, type ConfigFault } from '../../config/read/fault.ts';
import type { Settings } from '../../config/read/settings.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION, configFailure } from '../argument/config-option.ts';
import type { Edge } from '../terminal/edge.ts';
import type { Words } from './serve.ts';

type ServeOptions = {
  readonly config: string;
  readonly host?: string;
  readonly port?: string;
  readonly workers?: string;
};

export function addServe(program: Command, edge: Edge): void {
  program
    .command('serve')
    .configureHelp({ showGlobalOptions: false })
    .description('run the service')
    .option(...CONFIG_OPTION)
    .option('--host <host>', 'listening address, instead of `server.host`')
    .option('--port <port>', 'listening port, instead of `server.port`')
    .option('--workers <number>', 'number of processes that answer requests, or `auto`, instead of `server.workers`')
    .addHelpText(
      'after',
      `
Reports all faults of the configuration at once; the exit status is then 2.
Ctrl-C or SIGTERM stops the service after the requests in flight are finished.
SIGHUP reloads the configuration if \`server.reload\` is \`on_signal\`; otherwise it
stops the service.

Examples:
  svc serve --config /etc/svc.yaml
  svc serve --port 9000`,
    )
    .action(async ({ config, host, port, workers }: ServeOptions) => {
      if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
        throw usageFault('`--port` takes a number from 0 to 65535');
      if (workers !== undefined && workers !== 'auto' && !/^(?:[1-9]|[1-5]\d|6[0-4])$/.test(workers))
        throw usageFault('`--workers` takes a number from 1 to 64, or `auto`');
      const [{ loadSettings }, { serve }] = await Promise.all([import('../../config/load.ts'), import('./serve.ts')]);
      const read = () =>
        loadSettings({
          file: config,
          env: edge.env,
          overrides: {
            host,
            port: port === undefined ? undefined : Number(port),
            workers: workers === undefined || workers === 'auto' ? workers : Number(workers),
          },
        });
      const linesOf = (faults: readonly ConfigFault[] = []) => faults.map((one) => faultLine(config, one));
      const { settings, warnings, faults } = read();
      if (faults !== undefined) throw configFailure(config, faults);
      const load = () => {
        const again = read();
        return { settings: again.settings, faults: linesOf(again.faults) };
      };
      const { start, onReload } = edge;
      const stopAsked = edge.stopAsked(settings.server.reload === 'off' ? ['SIGHUP'] : []);
      const status = await serve({
        settings,
        warnings: linesOf(warnings),
        start,
        load,
        words: wordsOf(settings.log.format, edge),
        stopAsked,
        onReload,
      });
      if (status !== 0) throw new CliFailure(EXIT.failed);
    });
}

/** Makes the output functions. With a JSON log, they print lines in the form of log lines, because both often share a stream. */
function wordsOf(format: Settings['log']['format'], { print, printError }: Pick<Edge, 'print' | 'printError'>): Words {
  if (format === 'text') return { print, warn: (line) => print(`warning: ${line}`), printError };
  const lineOf = (level: string) => (message: string) =>
    JSON.stringify({ time: new Date().toISOString(), level, message });
  const [info, warn, error] = [lineOf('info'), lineOf('warn'), lineOf('error')];
  return {
    print: (line) => print(info(line)),
    warn: (line) => print(warn(line)),
    printError: (line) => printError(error(line)),
  };
}
