import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import type { Connection } from '../../client/connection.ts';
import type { Edge } from '../terminal/edge.ts';
import { globbed, isGlob } from './glob.ts';
import { entriesOf, listPages, PAGE_SIZE, type ListedEntry } from './listing.ts';
import { explainEmptyList } from './empty-list.ts';
import { jsonText } from '../terminal/printing.ts';
import { parseRemote, type KeyPath } from '../argument/remote-path.ts';
import { report, wantsJson } from '../terminal/report.ts';
import { columns, count, sizeText, timeText } from '../terminal/text.ts';

type LsOptions = { readonly long?: true; readonly recursive?: true; readonly bytes?: true };

export function addLs(program: Command, edge: Edge): void {
  program
    .command('ls')
    .description('list providers, buckets or objects')
    .argument('[path]', 'nothing, PROVIDER, PROVIDER/BUCKET or PROVIDER/BUCKET/PREFIX')
    .option('-l, --long', 'show size and time')
    .option('-r, --recursive', 'list everything beneath, not only one level')
    .option('-b, --bytes', 'exact sizes instead of rounded ones')
    .addHelpText(
      'after',
      `
Shows only what you may list. PREFIX is compared exactly with the start of the
keys: \`2025\` also shows \`2025-old/\`, \`2025/\` does not. If no key begins so, \`*\`
and \`?\` in it stand for any characters and one except \`/\`, \`**\` for any; put it
in quotes. Prints the complete keys; put PROVIDER/BUCKET/ in front of a key to
use it in the next command. Exit status 1 if no key begins with PREFIX, or if
you may list nothing in the bucket or provider, whether it exists or not. With
--json, objects are \`{type, key, size, etag, lastModified}\` and folders
\`{type: "prefix", key}\`.

Examples:
  svc ls
  svc ls main
  svc ls -l main/photos/2025/
  svc ls 'main/photos/202?/*.jpg'
  svc ls -r --json main/photos | jq '[.[].size] | add'`,
    )
    .action(async (path: string | undefined, options: LsOptions, command: Command) => {
      const connection = await connect(edge, command);
      if (path === undefined) {
        const { providers } = await connection.call('provider/list', {});
        report(
          edge,
          command,
          providers,
          providers.map(({ name }) => name),
        );
        if (providers.length === 0) await explainEmptyList(connection, undefined);
        return;
      }
      const { provider, bucket, key } = parseRemote(path);
      if (bucket === undefined) {
        const { buckets } = await connection.call('bucket/list', { provider });
        report(
          edge,
          command,
          buckets,
          options.long
            ? columns(buckets.map(({ name, createdAt }) => [timeText(createdAt), name]))
            : buckets.map(({ name }) => name),
        );
        if (buckets.length === 0) await explainEmptyList(connection, { provider, bucket, key });
        return;
      }
      await listKeys(edge, command, connection, { provider, bucket, key }, options);
    });
}

/** Prints page by page, so that a bucket with a million keys shows output within the first second. */
async function listKeys(
  edge: Edge,
  command: Command,
  connection: Connection,
  path: KeyPath,
  options: LsOptions,
): Promise<void> {
  const json = wantsJson(command);
  let objects = 0;
  let bytes = 0;
  let separator = '[\n';
  let isEmpty = true;
  for await (const entries of pagesAt(connection, path, options.recursive === true)) {
    if (entries.length > 0) isEmpty = false;
    for (const entry of entries)
      if (entry.type === 'object') {
        bytes += entry.size;
        objects += 1;
      }
    if (json) {
      for (const entry of entries) {
        edge.stdout.write(separator + jsonText(entry));
        separator = ',\n';
      }
    } else
      for (const line of options.long ? longLines(entries, options.bytes === true) : entries.map(({ key }) => key))
        edge.print(line);
  }
  if (json) edge.stdout.write(isEmpty ? '[]\n' : '\n]\n');
  if (isEmpty) await explainEmptyList(connection, path);
  if (options.long && !json)
    edge.printError(`${count(objects, 'object')}, ${options.bytes ? `${bytes} B` : sizeText(bytes)}`);
}

/** Pages of what begins with the key; if nothing does, of what the key matches as a glob. */
async function* pagesAt(
  connection: Connection,
  path: KeyPath,
  recursive: boolean,
): AsyncGenerator<readonly ListedEntry[], void, void> {
  let isEmpty = true;
  for await (const page of listPages(connection, path, recursive ? undefined : '/')) {
    isEmpty &&= page.objects.length + page.prefixes.length === 0;
    yield entriesOf(page);
  }
  if (!isEmpty || !isGlob(path.key)) return;
  let matched: ListedEntry[] = [];
  for await (const entry of globbed(connection, path, 'both')) {
    if (recursive && entry.type === 'prefix') {
      for await (const page of listPages(connection, { ...path, key: entry.key })) matched.push(...entriesOf(page));
    } else matched.push(entry);
    if (matched.length < PAGE_SIZE) continue;
    yield matched;
    matched = [];
  }
  yield matched;
}

function longLines(entries: readonly ListedEntry[], exact: boolean): string[] {
  return columns(
    entries.map((entry) =>
      entry.type === 'prefix'
        ? ['-', '-', entry.key]
        : [exact ? String(entry.size) : sizeText(entry.size), timeText(entry.lastModified), entry.key],
    ),
    [0],
  );
}
