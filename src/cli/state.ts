import type { Command } from 'commander';
import type { StateSettings } from '../config/settings.ts';
import { usageFault } from './cli-failure.ts';
import { CONFIG_OPTION, configFailure } from './config-option.ts';
import type { Edge, StateSummary } from './edge.ts';

type ConfigOption = { readonly config: string };
type DumpOptions = ConfigOption & { readonly passphraseFile?: string };

const PASSPHRASE = ['--passphrase-file <file>', 'file with the passphrase of the dump'] as const;
const PRIVATE = 0o600;

export function addState(program: Command, edge: Edge): void {
  const state = program
    .command('state')
    .configureHelp({ showGlobalOptions: false })
    .description('the state database: check, migrate, export, import, backup')
    .addHelpText(
      'after',
      `
Sessions and API keys, in the database that \`state\` in a configuration names.
Each verb ends with the number of rows of each table and their SHA-256, which
are the same wherever the same rows are.

Examples:
  svc state check
  svc state migrate --from sqlite.yaml --to postgres.yaml`,
    );
  const tell = (summary: StateSummary): void => {
    if (program.opts<{ json?: true }>().json === true) edge.print(JSON.stringify(summary));
    else for (const [table, { count, digest }] of Object.entries(summary)) edge.print(`${table}: ${count} rows, SHA-256 ${digest}`);
  };

  state
    .command('check')
    .description('examine the state, and sum it up')
    .option(...CONFIG_OPTION)
    .action(async ({ config }: ConfigOption) => tell(await (await edge.upkeep()).check(await stateOf(config, edge))));

  state
    .command('migrate')
    .description('copy the state from one database to an empty other one')
    .requiredOption('--from <file>', 'the configuration that names the first')
    .requiredOption('--to <file>', 'the configuration that names the other')
    .addHelpText(
      'after',
      `
Stop the service first, and start it with the other configuration. What was
copied is read back and compared; when anything differs, nothing is kept.`,
    )
    .action(async ({ from, to }: { readonly from: string; readonly to: string }) => tell(await (await edge.upkeep()).migrate(await stateOf(from, edge), await stateOf(to, edge))));

  state
    .command('export')
    .description('write a dump of the state')
    .argument('[file]', 'where to; standard output when left out')
    .option(...CONFIG_OPTION)
    .option(...PASSPHRASE)
    .addHelpText(
      'after',
      `
The dump holds what signs people in. With a passphrase it is encrypted; without
one it is written as it is, to a file that only you can read. It is never
written to a terminal. The service may run meanwhile.

Examples:
  svc state export --passphrase-file /run/secrets/dump state.dump`,
    )
    .action(async (file: string | undefined, { config, passphraseFile }: DumpOptions) => {
      if (file === undefined && edge.isTerminal) throw usageFault('a dump is not written to a terminal; name a file');
      const passphrase = await passphraseOf(passphraseFile);
      const settings = await stateOf(config, edge);
      const { exportTo } = await edge.upkeep();
      if (file === undefined) {
        await exportTo(settings, edge.stdout, passphrase);
        return;
      }
      const { createWriteStream, openSync, rmSync } = await import('node:fs');
      // The file must not be there, so that nobody else has it open.
      const target = createWriteStream('', { fd: openSync(file, 'wx', PRIVATE) });
      try {
        tell(await exportTo(settings, target, passphrase));
      } catch (error) {
        rmSync(file, { force: true });
        throw error;
      }
    });

  state
    .command('import')
    .description('read a dump into an empty database')
    .argument('<file>', 'the dump')
    .option(...CONFIG_OPTION)
    .option(...PASSPHRASE)
    .addHelpText(
      'after',
      `
Stop the service first. What was added is read back and compared with the dump;
when anything differs, nothing is kept.`,
    )
    .action(async (file: string, { config, passphraseFile }: DumpOptions) => tell(await (await edge.upkeep()).importFrom(await stateOf(config, edge), file, await passphraseOf(passphraseFile))));

  state
    .command('backup')
    .description('copy an SQLite state while the service runs')
    .argument('<file>', 'the copy, which must not be there')
    .option(...CONFIG_OPTION)
    .addHelpText(
      'after',
      `
To restore it, stop the service and put the copy in the place of \`state.path\`.`,
    )
    .action(async (file: string, { config }: ConfigOption) => tell(await (await edge.upkeep()).backup(await stateOf(config, edge), file)));
}

async function stateOf(file: string, edge: Edge): Promise<StateSettings> {
  const { loadSettings } = await import('../config/load.ts');
  const loaded = loadSettings({ file, env: edge.env });
  if (loaded.faults !== undefined) throw configFailure(file, loaded.faults);
  if (loaded.settings.state === undefined) throw usageFault(`\`${file}\` names no state database; set \`state\``);
  return loaded.settings.state;
}

async function passphraseOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { readFile } = await import('node:fs/promises');
  const passphrase = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  if (passphrase === '') throw usageFault(`\`${file}\` holds no passphrase`);
  return passphrase;
}
