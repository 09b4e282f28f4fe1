import { Option, type Command } from 'commander';
import { serverAddress } from '../client/server-address.ts';
import type { GlobalOptions } from './connect.ts';
import type { Edge } from './edge.ts';
import { report } from './report.ts';

type DesktopVerbOptions = { readonly browser?: string; readonly account: string; readonly register?: true };

export function addDesktop(program: Command, edge: Edge): void {
  program
    .command('desktop')
    .description('open the desktop application')
    .argument('[place]', 'what to show: `svc://SERVER/PROVIDER/BUCKET/KEY`')
    .option('--browser <path>', 'the Chromium, Chrome or Edge that draws the window; by default the first one that is installed')
    .addOption(new Option('--account <name>', 'a name of your choice for a further account at the same server').default('', 'the first'))
    .option('--register', 'put svc into the menu, have it open `svc://` addresses, and end')
    .addHelpText(
      'after',
      `
Opens a window of its own, drawn by a browser that is installed here: Chromium,
Chrome or Edge. You sign in in your usual browser. The session is kept in the
system's keyring; where there is none, you are asked. It is not that of
\`svc login\`: each ends by itself.

Without --server the one that was open last is opened, or you are asked. Started
again, it shows its window.

Examples:
  svc desktop --server https://files.example.com
  svc desktop svc://files.example.com/main/photos/2025/
  svc desktop --browser /opt/google/chrome/chrome`,
    )
    .action(async (place: string | undefined, { browser, account, register }: DesktopVerbOptions, command: Command) => {
      if (register) {
        const done = await edge.registerDesktop();
        report(edge, command, { registered: true }, [done]);
        return;
      }
      const given = command.optsWithGlobals<GlobalOptions>().server ?? (edge.env['SVC_SERVER'] || undefined);
      await edge.desktop({ server: given === undefined ? undefined : serverAddress(given), place, account, browser });
    });
}
