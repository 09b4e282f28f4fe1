import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { chosenPaths, GLOB_HELP } from './glob.ts';
import { parseObject, remoteText } from '../argument/remote-path.ts';
import { downloadTo } from '../../client/download.ts';
import type { Edge } from '../terminal/edge.ts';
import { naming } from '../terminal/failure-text.ts';

export function addCat(program: Command, edge: Edge): void {
  program
    .command('cat')
    .description('print objects')
    .argument('<path...>', 'PROVIDER/BUCKET/KEY')
    .addHelpText(
      'after',
      `
Writes the bytes of the objects to standard output, one after the other, and
stops at the first failure. Required action: \`objects:get\`.

${GLOB_HELP}

Examples:
  svc cat main/reports/q1.csv | wc -l
  svc cat 'main/logs/*.gz' | gunzip`,
    )
    .action(async (paths: string[], _options: object, command: Command) => {
      const objects = paths.map((path) => parseObject(path));
      const connection = await connect(edge, command);
      for (const object of objects)
        for (const { known: _, ...one } of await chosenPaths(connection, object, 'objects'))
          await naming(remoteText(one), () => downloadTo(connection, one, edge.stdout));
    });
}
