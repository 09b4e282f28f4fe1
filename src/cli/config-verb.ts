import type { Command } from 'commander';
import { CliFailure, EXIT } from './cli-failure.ts';
import { CONFIG_FILE, nameOne } from './config-option.ts';
import type { Edge } from './edge.ts';

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
    .description('check a configuration, without starting anything')
    .argument('[file]', 'the configuration', CONFIG_FILE)
    .addHelpText(
      'after',
      `
Prints what to register with the identity provider, or every fault with its
place in the file. No secret is printed. Exit status 0, or 2 when there are
faults.

Warns of rules that can never match or that other rules make superfluous, of
policies, roles and bindings that reach nobody, and of prefixes that reach
beyond their folder. A warning is no fault.

Examples:
  svc config check
  svc config check /etc/svc.yaml`,
    )
    .action(async (file: string) => {
      const { configCheck } = await import('./config-check.ts');
      const said: string[] = [];
      const status = configCheck(file, edge.env, { print: edge.print, printError: (line) => void said.push(line) });
      if (status !== 0) throw new CliFailure(EXIT.usage, [...said, ...nameOne(file, 'as in `svc config check FILE`')].join('\n'), 'config');
      for (const line of said) edge.printError(line);
    });
}
