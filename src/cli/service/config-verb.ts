import type { Command } from 'commander';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { CONFIG_OPTION, nameOne } from '../argument/config-option.ts';
import type { Edge } from '../terminal/edge.ts';

export function addConfig(program: Command, edge: Edge): void {
  const config = program
    .command('config')
    .configureHelp({ showGlobalOptions: false })
    .description('the configuration: check')
    .addHelpText(
      'after',
      `
Examples:
  svc config check /etc/svc.yaml`,
    );
  config
    .command('check')
    .description('check a configuration without starting anything')
    .argument('[file]', 'the same as `--config`')
    .option(...CONFIG_OPTION)
    .addHelpText(
      'after',
      `
Prints the addresses to register with the identity provider, or every fault with
its place in the file. It prints no secrets. Exit status 0, or 2 if there are
faults.

Warns of rules that can never match or that are redundant, of policies, roles
and bindings that reach nobody, and of prefixes that cover more than their
folder. A warning is not a fault.

Examples:
  svc config check
  svc config check /etc/svc.yaml`,
    )
    .action(async (named: string | undefined, options: { readonly config: string }, command: Command) => {
      if (named !== undefined && command.getOptionValueSource('config') !== 'default')
        throw usageFault('the configuration is named twice: give FILE or `--config FILE`');
      const file = named ?? options.config;
      const { configCheck } = await import('./config-check.ts');
      const said: string[] = [];
      const status = configCheck(file, edge.env, { print: edge.print, printError: (line) => void said.push(line) });
      if (status !== 0)
        throw new CliFailure(EXIT.usage, [...said, ...nameOne(file, 'as in `svc config check FILE`')], 'config');
      for (const line of said) edge.printError(line);
    });
}
