import { Option, type Command } from 'commander';
import { addressOf, type GlobalOptions } from '../argument/connect.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';

type DesktopVerbOptions = { readonly browser?: string; readonly account: string; readonly register?: true };

export function addDesktop(program: Command, edge: Edge): void {
  program
    .command('desktop')
    .description('open the desktop application')
    .argument('[place]', 'the place to open: `svc://SERVER/PROVIDER/BUCKET/KEY`')
    .option(
      '--browser <path>',
      'the Chromium, Chrome or Edge that draws the window; default: the first one that is installed',
    )
    .addOption(
      new Option('--account <name>', 'a name of your choice for another account at the same server').default(
        '',
        'the first account',
      ),
    )
    .option('--register', 'add svc to the menu, register it for `svc://` links, and exit')
    .addHelpText(
      'after',
      `
Opens a separate window, drawn by a browser that is installed on this machine:
Chromium, Chrome or Edge. You sign in with your usual browser. The session is
stored in the system's keyring; if there is none, you are asked. It is separate
from the session of \`svc login\`: each ends independently.

Without --server, the last server is opened, or you are asked. If the
application is already running, its window is shown.

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
      await edge.desktop({ server: given && (await addressOf(edge, given)), place, account, browser });
    });
}
