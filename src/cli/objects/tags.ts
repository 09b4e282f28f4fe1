import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { gathered } from '../argument/gathered.ts';
import { parseObject } from '../argument/remote-path.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { report } from '../terminal/report.ts';

type Tag = { readonly key: string; readonly value: string };

export function addTags(program: Command, edge: Edge): void {
  program
    .command('tags')
    .description('show or change the tags of an object')
    .argument('<path>', 'PROVIDER/BUCKET/KEY')
    .option('--set <name=value>', 'set a tag, and keep the others; can be given several times', gathered)
    .option('--clear', 'remove all tags first')
    .addHelpText(
      'after',
      `
Required actions: \`objects:get\` to show tags or to keep others, and
\`objects:write\` to change them.

Examples:
  svc tags main/reports/q1.pdf
  svc tags --set state=approved main/reports/q1.pdf
  svc tags --clear main/reports/q1.pdf`,
    )
    .action(async (path: string, { set = [], clear }: { set?: readonly string[]; clear?: true }, command: Command) => {
      const object = parseObject(path);
      const wanted = set.map(tagOf);
      const connection = await connect(edge, command);
      const stored = clear ? [] : (await connection.call('object/tags', object)).tags;
      const tags = [...new Map([...stored, ...wanted].map((tag) => [tag.key, tag])).values()];
      if (clear || set.length > 0) await connection.call('object/setTags', { ...object, tags });
      report(
        edge,
        command,
        { tags },
        tags.map(({ key, value }) => `${key}=${value}`),
      );
    });
}

function tagOf(text: string): Tag {
  const end = text.indexOf('=');
  if (end < 1) throw usageFault('a tag has a name and a value: `--set state=approved`');
  return { key: text.slice(0, end), value: text.slice(end + 1) };
}
