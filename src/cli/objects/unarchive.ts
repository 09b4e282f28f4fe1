import { Option, type Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { parseObject } from '../argument/remote-path.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';

type UnarchiveOptions = { readonly days: string; readonly tier: 'bulk' | 'standard' | 'expedited' };

const TOLD = {
  begun: 'storage brings it back from now on; `svc stat` shows when it can be read',
  underway: 'storage is bringing it back already',
  readable: 'it can be read',
} as const;

export function addUnarchive(program: Command, edge: Edge): void {
  program
    .command('unarchive')
    .description('bring an archived object back for reading')
    .argument('<path>', 'PROVIDER/BUCKET/KEY')
    .option('--days <number>', 'how long it can be read then, 1 to 30', '7')
    .addOption(
      new Option('--tier <tier>', 'how fast; faster costs more')
        .choices(['bulk', 'standard', 'expedited'])
        .default('standard'),
    )
    .addHelpText(
      'after',
      `
For objects in an archive of storage, such as GLACIER and DEEP_ARCHIVE. This
takes minutes to days, and storage may charge for it. Given again when it can be
read, it can be read for longer. Required action: \`objects:restore\`. --json
prints \`{key, status}\`, with a status of "begun", "underway" or "readable".

Examples:
  svc unarchive main/reports/2019.zip
  svc unarchive --days 2 --tier bulk main/reports/2019.zip`,
    )
    .action(async (path: string, { days: text, tier }: UnarchiveOptions, command: Command) => {
      const object = parseObject(path);
      const days = Number(text);
      if (!Number.isInteger(days) || days < 1 || days > 30) throw usageFault('--days takes a number from 1 to 30');
      const connection = await connect(edge, command);
      const result = await connection.call('object/unarchive', { ...object, days, tier });
      report(edge, command, result, [TOLD[result.status]]);
    });
}
