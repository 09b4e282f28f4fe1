import type { Command } from 'commander';
import { serverAddress } from '../../client/server-address.ts';
import { isServerName, serverNames } from '../argument/server-names.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';

export function addAlias(program: Command, edge: Edge): void {
  program
    .command('alias')
    .description('give a server a short name')
    .argument('[name]', 'letters, digits, `-` and `_`')
    .argument('[url]', 'the address of the server')
    .option('--remove', 'forget the name')
    .addHelpText(
      'after',
      `
Without arguments, lists the names. A name stands for the address in --server
and SVC_SERVER. Each server has its own session of \`svc login\`.

Examples:
  svc alias work https://files.example.com
  svc login --server work
  SVC_SERVER=work svc ls
  svc alias --remove work`,
    )
    .action(
      async (
        name: string | undefined,
        url: string | undefined,
        { remove }: { readonly remove?: true },
        command: Command,
      ) => {
        const names = serverNames(edge.env);
        const known = new Map(Object.entries((await names.read()) ?? {}));
        if (name === undefined) {
          if (remove) throw usageFault('which name? give `svc alias --remove NAME`');
          report(
            edge,
            command,
            Object.fromEntries(known),
            [...known].map(([each, server]) => `${each}  ${server}`),
          );
          return;
        }
        if (!isServerName(name)) throw usageFault('a name of a server has letters, digits, `-` and `_`, up to 63');
        if (remove ? url !== undefined : url === undefined)
          throw usageFault('give `svc alias NAME URL`, or `svc alias --remove NAME`');
        if (url !== undefined) known.set(name, serverAddress(url));
        else if (!known.delete(name)) throw new CliFailure(EXIT.failed, `no server is named \`${name}\``, 'not_found');
        await names.write(Object.fromEntries(known));
      },
    );
}
