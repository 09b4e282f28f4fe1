import type { Command } from 'commander';
import type { RpcParams, RpcResult } from '../../wire/rpc.ts';
import { KINDS, type Kind } from '../../wire/kind.ts';
import { parseBytes } from '../argument/byte-option.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import { connect } from '../argument/connect.ts';
import type { Connection } from '../../client/connection.ts';
import { pagesOf } from '../../client/pages.ts';
import type { Edge } from '../terminal/edge.ts';
import { explainEmptyList } from './empty-list.ts';
import { failureText } from '../terminal/failure-text.ts';
import { chosenPaths } from './glob.ts';
import { FILTER_HELP, filterOf, withFilter, type FilterOptions, type NameFilter } from '../argument/name-filter.ts';
import { asFolder, parseRemote, remoteText, type KeyPath, type RemotePath } from '../argument/remote-path.ts';
import { jsonText } from '../terminal/printing.ts';
import { wantsJson } from '../terminal/report.ts';
import { visible } from '../terminal/text.ts';

type FindOptions = FilterOptions & {
  readonly print0?: true;
  readonly name?: string;
  readonly kind?: Kind;
  readonly larger?: number;
  readonly smaller?: number;
  readonly after?: string;
  readonly before?: string;
  readonly tag?: string;
};
type Question = Omit<RpcParams<'object/search'>, 'provider' | 'bucket' | 'prefix' | 'cursor'>;
type Found = RpcResult<'object/search'>;

export function addFind(program: Command, edge: Edge): void {
  const command = program
    .command('find')
    .description('find objects by name, kind, size, date and tag')
    .argument('[path]', 'PROVIDER or PROVIDER/BUCKET[/FOLDER]; default: everywhere')
    .option('-n, --name <text>', 'a part of the name; case does not matter')
    .option('-k, --kind <kind>', `one of ${KINDS.join(', ')}`, parseKind)
    .option('--larger <size>', 'larger than this size, such as 10M (10 MiB)', parseBytes)
    .option('--smaller <size>', 'smaller than this size', parseBytes)
    .option('--after <date>', 'last changed on this day (UTC) or later, such as 2025-01-31', parseDate)
    .option('--before <date>', 'last changed before this day', parseDate)
    .option('--tag <tag>', 'with this tag: NAME or NAME=VALUE; case matters', parseTag);
  withFilter(command)
    .option('-0, --print0', 'end each path with a NUL character instead of a line break')
    .addHelpText(
      'after',
      `
Checks every object that you may list, and prints each match as
PROVIDER/BUCKET/KEY as soon as it is found. A name that contains a slash is
compared with the whole path below FOLDER, any other name with its last part. If
only a name is given, folders match too; they end with a slash. The exit status
is 0 even if nothing is found, and 1 if there is nothing that you may list.
Ctrl-C stops the search. With --tag, storage is asked about each object that the
path, name, kind, size and dates leave, if you may read its tags. With --json,
objects are \`{type, provider, bucket, key, size, etag, lastModified}\` and
folders \`{type: "prefix", provider, bucket, key}\`.

${FILTER_HELP}
FOLDER may be a glob too, unless a folder has exactly this name.

Examples:
  svc find --name invoice
  svc find main/photos/2025 --kind image --larger 10M
  svc find main/logs --before 2024-01-01 --json | jq -r '.[].key'
  svc find main/reports --tag state=approved
  svc find main/logs --include '*.tmp' -0 | xargs -0 svc rm`,
    )
    .action(async (path: string | undefined, options: FindOptions, command: Command) => {
      const question = questionOf(options);
      const place = path === undefined ? undefined : parseRemote(path);
      const json = wantsJson(command);
      if (json && options.print0) throw usageFault('give either `--json` or `--print0`');
      const print = printer(edge, json ? 'json' : options.print0 ? 'nul' : 'lines', filterOf(options));
      const connection = await connect(edge, command);
      // The JSON document is completed even if a place failed.
      await findIn(edge, connection, place, question, print.page).finally(print.end);
    });
}

function questionOf({ name, kind, larger, smaller, after, before, tag }: FindOptions): Question {
  if (smaller === 0) throw usageFault('no object has fewer than 0 bytes; give `--smaller 1` for empty ones');
  return {
    ...(name === undefined ? {} : { q: name, folders: true }),
    ...(kind === undefined ? {} : { kind }),
    ...(larger === undefined ? {} : { minSize: larger + 1 }),
    ...(smaller === undefined ? {} : { maxSize: smaller - 1 }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(tag === undefined ? {} : { tag }),
  };
}

type PrintPage = (place: KeyPath, page: Found) => void;

/** Searches one bucket, or all buckets of a place. */
async function findIn(
  edge: Edge,
  connection: Connection,
  place: RemotePath | undefined,
  question: Question,
  print: PrintPage,
): Promise<void> {
  if (place?.bucket === undefined) {
    const parts = await findInParts(edge, connection, place, question, print);
    if (parts === 0) await explainEmptyList(connection, place);
    return;
  }
  const folder = asFolder({ ...place, bucket: place.bucket });
  let seen = 0;
  for (const one of await chosenPaths(connection, folder, 'folders'))
    seen += await findBeneath(connection, one, question, print);
  if (seen === 0) await explainEmptyList(connection, folder);
}

/**
 * Searches each bucket of a provider, or of all providers. A failing bucket does not stop the search in the others.
 *
 * @returns the number of buckets or providers.
 */
async function findInParts(
  edge: Edge,
  connection: Connection,
  place: RemotePath | undefined,
  question: Question,
  print: PrintPage,
): Promise<number> {
  const parts: RemotePath[] =
    place === undefined
      ? (await connection.call('provider/list', {})).providers.map(({ name }) => ({
          provider: name,
          bucket: undefined,
          key: '',
        }))
      : (await connection.call('bucket/list', { provider: place.provider })).buckets.map(({ name }) => ({
          provider: place.provider,
          bucket: name,
          key: '',
        }));
  let failed = 0;
  for (const part of parts) {
    const look: Promise<unknown> =
      part.bucket === undefined
        ? findInParts(edge, connection, part, question, print)
        : findBeneath(connection, { ...part, bucket: part.bucket }, question, print);
    await look.catch((error: unknown) => {
      // Stops at a failure that every other place would repeat.
      const { message, status } = failureText(error);
      if (status === EXIT.usage || status === EXIT.notSignedIn) throw error;
      failed += 1;
      if (message !== '') edge.printError(`${remoteText(part)}: ${message}`);
    });
  }
  if (failed > 0) throw new CliFailure(EXIT.failed);
  return parts.length;
}

/** @returns the number of searched objects. */
async function findBeneath(
  connection: Connection,
  { provider, bucket, key: prefix }: KeyPath,
  question: Question,
  print: PrintPage,
): Promise<number> {
  let seen = 0;
  for await (const page of pagesOf((at) =>
    connection.call('object/search', { provider, bucket, prefix, ...question, ...at }),
  )) {
    print({ provider, bucket, key: prefix }, page);
    seen += page.seen;
  }
  return seen;
}

/** Prints page by page: one JSON document for scripts, lines for people. */
function printer(
  edge: Edge,
  form: 'json' | 'nul' | 'lines',
  filter: NameFilter | undefined,
): { readonly page: PrintPage; readonly end: () => void } {
  let separator = '[\n';
  return {
    page: ({ provider, bucket, key: folder }, { objects, prefixes }) => {
      const entries = [
        ...prefixes.map((key) => ({ type: 'prefix' as const, provider, bucket, key })),
        ...objects.map((object) => ({ type: 'object' as const, provider, bucket, ...object })),
      ].filter(({ key }) => filter?.(key.slice(folder.length)) !== false);
      entries.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
      for (const entry of entries) {
        if (form === 'json') edge.stdout.write(separator + jsonText(entry));
        else if (form === 'nul')
          edge.stdout.write(`${edge.isTerminal ? visible(remoteText(entry)) : remoteText(entry)}\0`);
        else edge.print(remoteText(entry));
        separator = ',\n';
      }
    },
    end: () => {
      if (form === 'json') edge.stdout.write(separator === '[\n' ? '[]\n' : '\n]\n');
    },
  };
}

/** @throws {CliFailure} usage */
function parseKind(text: string): Kind {
  const kind = KINDS.find((each) => each === text);
  if (kind === undefined) throw usageFault(`there is no kind \`${text}\`; there are ${KINDS.join(', ')}`);
  return kind;
}

/** @throws {CliFailure} usage */
function parseTag(text: string): string {
  if (text === '' || text.startsWith('='))
    throw usageFault(`\`${text}\` has no name; write \`NAME\` or \`NAME=VALUE\``);
  return text;
}

/**
 * Checks a date. The service also accepts times.
 *
 * @throws {CliFailure} usage
 */
function parseDate(text: string): string {
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(Date.parse(text)))
    throw usageFault(`\`${text}\` is no date; write \`2025-01-31\` or \`2025-01-31T12:00:00Z\``);
  return text;
}
