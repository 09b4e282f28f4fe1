import type { Command } from 'commander';
import { faultLine, type ConfigFault } from '../config/fault.ts';
import { CliFailure, EXIT, usageFault } from './cli-failure.ts';
import { CONFIG_OPTION, configFailure } from './config-option.ts';
import type { Edge } from './edge.ts';

type ServeOptions = { readonly config: string; readonly host?: string; readonly port?: string };

export function addServe(program: Command, edge: Edge): void {
  program
    .command('serve')
    .configureHelp({ showGlobalOptions: false })
    .description('run the service')
    .option(...CONFIG_OPTION)
    .option('--host <host>', 'the address to listen on, instead of `server.host`')
    .option('--port <port>', 'the port to listen on, instead of `server.port`')
    .addHelpText(
      'after',
      `
Every fault of the configuration is reported at once; the exit status is then 2.
Ctrl-C or SIGTERM stops it cleanly: requests in flight are finished. SIGHUP
reads the configuration again where server.reload says so, and stops otherwise.

Examples:
  svc serve --config /etc/svc.yaml
  svc serve --port 9000`,
    )
    .action(async ({ config, host, port }: ServeOptions) => {
      if (port !== undefined && !/^\d{1,5}$/.test(port)) throw usageFault('`--port` takes a number from 0 to 65535');
      const [{ loadSettings }, { serve }] = await Promise.all([import('../config/load.ts'), import('./serve.ts')]);
      const read = () => loadSettings({ file: config, env: edge.env, overrides: { host, port: port === undefined ? undefined : Number(port) } });
      const linesOf = (told: readonly ConfigFault[] = []) => told.map((one) => faultLine(config, one));
      const { settings, warnings, faults } = read();
      if (faults !== undefined) throw configFailure(config, faults);
      const load = () => {
        const again = read();
        return { settings: again.settings, faults: linesOf(again.faults) };
      };
      const { start, print, printError, onReload } = edge;
      const stopAsked = edge.stopAsked(settings.server.reload === 'off' ? ['SIGHUP'] : []);
      const status = await serve({ settings, warnings: linesOf(warnings), start, load, print, printError, stopAsked, onReload });
      if (status !== 0) throw new CliFailure(EXIT.failed);
    });
}
