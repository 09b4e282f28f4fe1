import type { Command } from 'commander';
import type { StateSettings } from '../../config/read/settings.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION, configFailure } from '../argument/config-option.ts';
import type { Edge, StateSummary } from '../terminal/edge.ts';
import { jsonText } from '../terminal/printing.ts';

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
The state database contains sessions and API keys. \`state\` in a configuration
names it. Each command prints the number of rows of each table and their
SHA-256. The same rows have the same checksums in every database.

Examples:
  svc state check
  svc state migrate --from sqlite.yaml --to postgres.yaml`,
    );
  const tell = (summary: StateSummary): void => {
    if (program.opts<{ json?: true }>().json === true) edge.print(jsonText(summary));
    else
      for (const [table, { count, digest }] of Object.entries(summary))
        edge.print(`${table}: ${count} rows, SHA-256 ${digest}`);
  };

  state
    .command('check')
    .description('check the state database and print checksums')
    .option(...CONFIG_OPTION)
    .action(async ({ config }: ConfigOption) => tell(await (await edge.upkeep()).check(await stateOf(config, edge))));

  state
    .command('migrate')
    .description('copy the state to another, empty database')
    .requiredOption('--from <file>', 'the configuration with the source database')
    .requiredOption('--to <file>', 'the configuration with the target database')
    .addHelpText(
      'after',
      `
Stop the service first, and start it with the new configuration afterwards. The
copy is read back and compared. If anything differs, nothing is kept.`,
    )
    .action(async ({ from, to }: { readonly from: string; readonly to: string }) =>
      tell(
        await (
          await edge.upkeep()
        ).migrate(await stateOf(from, edge), await stateOf(to, edge), (message) =>
          edge.printError(`warning: ${message}`),
        ),
      ),
    );

  state
    .command('export')
    .description('write a dump of the state database')
    .argument('[file]', 'the file to write; default: standard output')
    .option(...CONFIG_OPTION)
    .option(...PASSPHRASE)
    .addHelpText(
      'after',
      `
The dump contains credentials. With a passphrase, it is encrypted. Without one,
it is written unencrypted, to a file that only you can read. It is never written
to a terminal. The service may be running.

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
      // Fails when the file exists, so that nobody else has it open.
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
Stop the service first. The imported rows are read back and compared with the
dump. If anything differs, nothing is kept.`,
    )
    .action(async (file: string, { config, passphraseFile }: DumpOptions) =>
      tell(
        await (await edge.upkeep()).importFrom(await stateOf(config, edge), file, await passphraseOf(passphraseFile)),
      ),
    );

  state
    .command('backup')
    .description('copy an SQLite state while the service runs')
    .argument('<file>', 'the file to create; it must not exist')
    .option(...CONFIG_OPTION)
    .addHelpText(
      'after',
      `
To restore the copy, stop the service and replace the file \`state.path\` with it.`,
    )
    .action(async (file: string, { config }: ConfigOption) =>
      tell(await (await edge.upkeep()).backup(await stateOf(config, edge), file)),
    );
}

async function stateOf(file: string, edge: Edge): Promise<StateSettings> {
  const { loadSettings } = await import('../../config/load.ts');
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
