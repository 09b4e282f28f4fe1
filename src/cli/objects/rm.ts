import type { Command } from 'commander';
import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import { codeOf } from '../../errors/svc-error.ts';
import { connect } from '../argument/connect.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { folderFault } from './copy-task.ts';
import type { Edge } from '../terminal/edge.ts';
import { explainEmptyList } from './empty-list.ts';
import { failureText } from '../terminal/failure-text.ts';
import { FILTER_HELP, filterOf, withFilter, type FilterOptions, type NameFilter } from '../argument/name-filter.ts';
import { isFolderThere, isThere, listObjects, type ListedObject } from './listing.ts';
import { asFolder, parseBeneath, parseObject, remoteText, type KeyPath } from '../argument/remote-path.ts';
import { confirmRemoval } from './removal-question.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

type RmOptions = FilterOptions & { readonly recursive?: true; readonly dryRun?: true; readonly yes?: true };
type How = { readonly dryRun: true | undefined; readonly filter: NameFilter | undefined };
/** The paths that were deleted so far, and those that could not be. */
export type Removal = {
  readonly deleted: string[];
  readonly failed: { readonly key: string; readonly code: string }[];
};

const KEYS_AT_ONCE = 1000;
/** A message may have 1 MiB; quotes and escapes need some of it. */
const KEY_BYTES_AT_ONCE = 400_000;

export function addRm(program: Command, edge: Edge): void {
  const command = program
    .command('rm')
    .description('delete objects')
    .argument('<path...>', 'PROVIDER/BUCKET/KEY; with -r PROVIDER/BUCKET[/FOLDER]')
    .option('-r, --recursive', 'everything beneath the folder, or the whole bucket')
    .option('-n, --dry-run', 'only print what would be deleted');
  withFilter(command)
    .option('-y, --yes', 'with -r on a terminal: do not ask')
    .addHelpText(
      'after',
      `
Required action: \`objects:delete\` on every object. If an object cannot be
deleted, it is named and the others are still deleted. The exit status is then
1, or 3 if policy denied each of them. The same applies to objects that do not
exist, if you may list or read them.

With -r, \`2025\` means everything beneath \`2025/\`, never \`2025-old/\`. On a
terminal, the command shows how much it would delete and asks first, unless you
give --yes. It does not ask in a script, where input or standard error is not a
terminal.

${FILTER_HELP}

With --dry-run, control characters in names are printed as \\u{1b}, one name on a
line. --json prints the names unchanged.

Examples:
  svc rm main/photos/2025/sea.jpg
  svc rm -r --dry-run main/photos/2025
  svc rm -r main/photos/2025
  svc rm -r main/photos --include '*.tmp'
  svc rm -r --yes main/scratch`,
    )
    .action(async (paths: string[], options: RmOptions, command: Command) => {
      const targets = paths.map((path) => (options.recursive ? asFolder(parseBeneath(path)) : parseObject(path)));
      const filter = filterOf(options);
      if (filter !== undefined && options.recursive === undefined)
        throw usageFault('`--include` and `--exclude` choose what is deleted beneath a folder; give `-r` too');
      const connection = await connect(edge, command);
      if (options.recursive && !options.dryRun && !options.yes) await confirmRemoval(edge, connection, targets, filter);
      const removal: Removal = { deleted: [], failed: [] };
      const tell = (text: string): void =>
        report(
          edge,
          command,
          { ...removal, dryRun: options.dryRun === true },
          options.dryRun ? removal.deleted : [text],
        );
      const tellEnded = (): void => {
        if (!options.dryRun && removal.deleted.length + removal.failed.length > 0) tell(textOfEnded(removal));
      };
      edge.beforeInterrupt(tellEnded);
      const remove = options.recursive ? removeFolder : removeObject;
      try {
        for (const target of targets)
          await remove(edge, connection, target, { dryRun: options.dryRun, filter }, removal);
      } catch (error) {
        tellEnded();
        throw error;
      }
      tell(`deleted ${count(removal.deleted.length, 'object')}`);
      throwIfFailed(removal);
    });
}

/**
 * Deletes an object. A refusal is printed, and the rest continues.
 *
 * @throws an error that ends everything: of the session or the connection.
 */
async function removeObject(
  edge: Edge,
  connection: Connection,
  object: KeyPath,
  options: How,
  removal: Removal,
): Promise<void> {
  try {
    await removeIfThere(edge, connection, object, options, removal);
  } catch (error) {
    const { status, code, message } = failureText(error);
    if (codeOf(error) === undefined || status === EXIT.notSignedIn) throw error;
    edge.printError(`${remoteText(object)}: ${message}`);
    removal.failed.push({ key: remoteText(object), code });
  }
}

async function removeIfThere(
  edge: Edge,
  connection: Connection,
  object: KeyPath,
  { dryRun }: How,
  removal: Removal,
): Promise<void> {
  const path = remoteText(object);
  const found = await isThere(connection, object);
  if (found === false) {
    edge.printError(
      `${path}: ${(await isFolderThere(connection, object)) ? folderFault().message : 'there is nothing here'}`,
    );
    removal.failed.push({ key: path, code: 'not_found' });
    return;
  }
  if (dryRun) {
    removal.deleted.push(path);
    return;
  }
  await removeKeys(edge, connection, object, [object.key], removal);
  if (found === undefined) edge.printError(`${path}: deleted if it was there; you may neither list nor read it`);
}

async function removeFolder(
  edge: Edge,
  connection: Connection,
  folder: KeyPath,
  { dryRun, filter }: How,
  removal: Removal,
): Promise<void> {
  const before = removal.deleted.length + removal.failed.length;
  if (dryRun)
    for await (const { key } of chosenBeneath(connection, folder, filter))
      removal.deleted.push(remoteText({ ...folder, key }));
  else await removeBeneath(edge, connection, folder, removal, filter);
  if (removal.deleted.length + removal.failed.length > before) return;
  if (filter !== undefined) {
    edge.printError(`${remoteText(folder)}: nothing here that you may list matches`);
    removal.failed.push({ key: remoteText(folder), code: 'not_found' });
    return;
  }
  try {
    await explainEmptyList(connection, folder);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    edge.printError(error.message);
    removal.failed.push({ key: remoteText(folder), code: 'not_found' });
  }
}

/** Deletes everything beneath a folder that the caller may list, and adds it to `removal`, which tells what was done when this throws. */
export async function removeBeneath(
  edge: Edge,
  connection: Connection,
  folder: KeyPath,
  removal: Removal,
  filter?: NameFilter,
): Promise<void> {
  let keys: string[] = [];
  let bytes = 0;
  for await (const { key } of chosenBeneath(connection, folder, filter)) {
    if (keys.length >= KEYS_AT_ONCE || bytes >= KEY_BYTES_AT_ONCE) {
      await removeKeys(edge, connection, folder, keys, removal);
      keys = [];
      bytes = 0;
    }
    keys.push(key);
    bytes += Buffer.byteLength(JSON.stringify(key)) + 1;
  }
  if (keys.length > 0) await removeKeys(edge, connection, folder, keys, removal);
}

async function* chosenBeneath(
  connection: Connection,
  folder: KeyPath,
  filter: NameFilter | undefined,
): AsyncGenerator<ListedObject, void, void> {
  for await (const object of listObjects(connection, folder))
    if (filter?.(object.key.slice(folder.key.length)) !== false) yield object;
}

async function removeKeys(
  edge: Edge,
  connection: Connection,
  { provider, bucket }: KeyPath,
  keys: readonly string[],
  removal: Removal,
): Promise<void> {
  const [only] = keys;
  const which = keys.length === 1 && only !== undefined ? { key: only } : { keys: [...keys] };
  const { deleted, failed } = await connection.call('object/delete', { provider, bucket, ...which });
  for (const key of deleted) removal.deleted.push(remoteText({ provider, bucket, key }));
  for (const { key, code } of failed) {
    const path = remoteText({ provider, bucket, key });
    edge.printError(`${path}: ${reasonOf(code)}`);
    removal.failed.push({ key: path, code });
  }
}

/** Says what was deleted before an error. The service may have done more, if only its answer was lost. */
export function textOfEnded({ deleted }: Removal): string {
  return `deleted at least ${count(deleted.length, 'object')} before it ended`;
}

/** @throws {CliFailure} when any deletion failed. Each failure was already printed. */
export function throwIfFailed({ failed }: Pick<Removal, 'failed'>): void {
  if (failed.length === 0) return;
  if (failed.every(({ code }) => code === 'not_found')) throw new CliFailure(EXIT.failed, '', 'not_found');
  const denied = failed.every(({ code }) => code === 'access_denied');
  throw new CliFailure(
    denied ? EXIT.denied : EXIT.failed,
    `${count(failed.length, 'object')} could not be deleted`,
    denied ? 'access_denied' : 'failed',
  );
}

function reasonOf(code: string): string {
  return Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode].title.toLowerCase() : code;
}
