import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';

export function addProviders(program: Command, edge: Edge): void {
  program
    .command('providers')
    .description('list the storage providers that you may see')
    .addHelpText(
      'after',
      `
A provider is the first part of every remote path.

Examples:
  svc providers
  svc ls "$(svc providers | head -1)"`,
    )
    .action(async (_options: object, command: Command) => {
      const { providers } = await (await connect(edge, command)).call('provider/list', {});
      report(
        edge,
        command,
        providers,
        providers.map(({ name }) => name),
      );
    });
}
