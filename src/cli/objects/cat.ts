import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { parseObject } from '../argument/remote-path.ts';
import { downloadTo } from '../../client/download.ts';
import type { Edge } from '../terminal/edge.ts';

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

Examples:
  svc cat main/reports/q1.csv | wc -l
  svc cat main/logs/1.gz main/logs/2.gz | gunzip`,
    )
    .action(async (paths: string[], _options: object, command: Command) => {
      const objects = paths.map(parseObject);
      const connection = await connect(edge, command);
      for (const object of objects) await downloadTo(connection, object, edge.stdout);
    });
}
