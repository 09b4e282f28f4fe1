import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { asFolder, parseBeneath, remoteText, type KeyPath } from '../argument/remote-path.ts';
import type { Connection } from '../../client/connection.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { jsonText } from '../terminal/printing.ts';
import { wantsJson } from '../terminal/report.ts';
import { visible } from '../terminal/text.ts';
import { explainEmptyList } from './empty-list.ts';
import { chosenPaths, GLOB_HELP } from './glob.ts';
import { entriesOf, listPages, type ListedEntry } from './listing.ts';

/** @param isLast - for each level, whether the entry is the last one there. */
type Show = (entry: ListedEntry, name: string, isLast: readonly boolean[]) => void;

const LEVELS = 3;
const MAX_LEVELS = 32;

export function addTree(program: Command, edge: Edge): void {
  program
    .command('tree')
    .description('show folders and objects as a tree')
    .argument('<path>', 'PROVIDER/BUCKET[/FOLDER]')
    .option('-L, --level <number>', `levels to show, 1 to ${MAX_LEVELS}; default: ${LEVELS}`, parseLevels, LEVELS)
    .addHelpText(
      'after',
      `
Shows only what you may list. Folders end with a slash. Each shown folder costs
a request. With --json, entries are as those of \`svc ls\`.

${GLOB_HELP}

Examples:
  svc tree main/photos
  svc tree -L 1 main/photos/2025`,
    )
    .action(async (path: string, { level }: { readonly level: number }, command: Command) => {
      const folder = asFolder(parseBeneath(path));
      const connection = await connect(edge, command);
      const folders = (await chosenPaths(connection, folder, 'folders')).map(asFolder);
      const json = wantsJson(command);
      let separator = '[\n';
      let any = false;
      for (const one of folders) {
        if (!json) edge.print(visible(remoteText(one)));
        const shown = await showFolder(connection, one, level, [], (entry, name, isLast) => {
          if (json) edge.stdout.write(separator + jsonText(entry));
          else {
            const above = isLast.slice(0, -1).map((last) => (last ? '    ' : '│   '));
            edge.print(visible(`${above.join('')}${isLast.at(-1) === true ? '└── ' : '├── '}${name}`));
          }
          separator = ',\n';
        });
        any ||= shown;
      }
      if (json) edge.stdout.write(any ? '\n]\n' : '[]\n');
      if (!any) await explainEmptyList(connection, folder);
    });
}

/** Shows the entries of a folder, each with what is beneath it. @returns whether there are any. */
async function showFolder(
  connection: Connection,
  folder: KeyPath,
  levels: number,
  above: readonly boolean[],
  show: Show,
): Promise<boolean> {
  const showOne = async (entry: ListedEntry, last: boolean): Promise<void> => {
    const isLast = [...above, last];
    show(entry, entry.key.slice(folder.key.length), isLast);
    if (entry.type === 'prefix' && levels > 1)
      await showFolder(connection, { ...folder, key: entry.key }, levels - 1, isLast, show);
  };
  // An entry is shown when it is known whether another one follows.
  let waiting: ListedEntry | undefined;
  for await (const page of listPages(connection, folder, '/'))
    for (const entry of entriesOf(page)) {
      // The marker object of the folder itself has no name in it.
      if (entry.key === folder.key) continue;
      if (waiting !== undefined) await showOne(waiting, false);
      waiting = entry;
    }
  if (waiting !== undefined) await showOne(waiting, true);
  return waiting !== undefined;
}

/** @throws {CliFailure} usage */
function parseLevels(text: string): number {
  const levels = Number(text);
  if (!/^\d{1,2}$/.test(text) || levels < 1 || levels > MAX_LEVELS)
    throw usageFault(`--level takes a number from 1 to ${MAX_LEVELS}`);
  return levels;
}
