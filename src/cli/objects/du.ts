import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import type { Connection } from '../../client/connection.ts';
import { pagesOf } from '../../client/pages.ts';
import type { Edge } from '../terminal/edge.ts';
import { explainEmptyList } from './empty-list.ts';
import { asFolder, parseBeneath, type KeyPath } from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { columns, sizeText } from '../terminal/text.ts';

type Counts = { objects: number; bytes: number };
type Sizes = Counts & { readonly folders: Map<string, Counts> };

export function addDu(program: Command, edge: Edge): void {
  program
    .command('du')
    .description('count objects and bytes')
    .argument('<path>', 'PROVIDER/BUCKET[/FOLDER]')
    .option('-b, --bytes', 'exact sizes instead of rounded ones')
    .addHelpText(
      'after',
      `
Counts what you may list: the size and the number of objects for each folder
directly in FOLDER, with everything beneath it. The total also includes objects
that are in none of these folders. With --json: \`{objects, bytes, folders:
[{key, objects, bytes}]}\`.

Examples:
  svc du main/photos
  svc du --bytes main/photos/2025`,
    )
    .action(async (path: string, { bytes: exact }: { bytes?: true }, command: Command) => {
      const place = asFolder(parseBeneath(path));
      const connection = await connect(edge, command);
      const { objects, bytes, folders } = await sizesOf(connection, place);
      if (objects === 0) await explainEmptyList(connection, place);
      const row = (counts: Counts, name: string) => [
        exact ? String(counts.bytes) : sizeText(counts.bytes),
        String(counts.objects),
        name,
      ];
      const lines = columns(
        [...Array.from(folders, ([key, counts]) => row(counts, key)), row({ objects, bytes }, 'total')],
        [0, 1],
      );
      report(
        edge,
        command,
        { objects, bytes, folders: Array.from(folders, ([key, counts]) => ({ key, ...counts })) },
        lines,
      );
    });
}

async function sizesOf(connection: Connection, { provider, bucket, key: prefix }: KeyPath): Promise<Sizes> {
  const sizes: Sizes = { objects: 0, bytes: 0, folders: new Map() };
  for await (const page of pagesOf((at) => connection.call('object/size', { provider, bucket, prefix, ...at }))) {
    add(sizes, page);
    for (const folder of page.folders) {
      const counts = sizes.folders.get(folder.prefix) ?? { objects: 0, bytes: 0 };
      add(counts, folder);
      sizes.folders.set(folder.prefix, counts);
    }
  }
  return sizes;
}

function add(sum: Counts, { objects, bytes }: Readonly<Counts>): void {
  sum.objects += objects;
  sum.bytes += bytes;
}
