import type { Command } from 'commander';
import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import { codeOf } from '../../errors/svc-error.ts';
import { connect } from '../argument/connect.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { folderFault } from './copy-task.ts';
import type { Edge } from '../terminal/edge.ts';
import { explainEmptyList } from './empty-list.ts';
import { failureText } from '../terminal/failure-text.ts';
import { isFolderThere, isThere, listObjects } from './listing.ts';
import { asFolder, parseBeneath, parseObject, remoteText, type KeyPath } from '../argument/remote-path.ts';
import { confirmRemoval } from './removal-question.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

type RmOptions = { readonly recursive?: true; readonly dryRun?: true; readonly yes?: true };
export type Removal = {
  readonly deleted: string[];
  readonly failed: { readonly key: string; readonly code: string }[];
};

const KEYS_AT_ONCE = 1000;
/** A message may have 1 MiB; quotes and escapes need some of it. */
const KEY_BYTES_AT_ONCE = 400_000;

export function addRm(program: Command, edge: Edge): void {
  program
    .command('rm')
    .description('delete objects')
    .argument('<path...>', 'PROVIDER/BUCKET/KEY; with -r PROVIDER/BUCKET[/FOLDER]')
    .option('-r, --recursive', 'everything beneath the folder, or the whole bucket')
    .option('-n, --dry-run', 'only print what would be deleted')
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

With --dry-run, control characters in names are printed as \\u{1b}, one name on a
line. --json prints the names unchanged.

Examples:
  svc rm main/photos/2025/sea.jpg
  svc rm -r --dry-run main/photos/2025
  svc rm -r main/photos/2025
  svc rm -r --yes main/scratch`,
    )
    .action(async (paths: string[], options: RmOptions, command: Command) => {
      const targets = paths.map((path) => (options.recursive ? asFolder(parseBeneath(path)) : parseObject(path)));
      const connection = await connect(edge, command);
      if (options.recursive && !options.dryRun && !options.yes) await confirmRemoval(edge, connection, targets);
      const removal: Removal = { deleted: [], failed: [] };
      for (const target of targets) {
        const { deleted, failed } = await (options.recursive ? removeFolder : removeObject)(
          edge,
          connection,
          target,
          options,
        );
        removal.deleted.push(...deleted.map((key) => remoteText({ ...target, key })));
        removal.failed.push(...failed.map(({ key, code }) => ({ key: remoteText({ ...target, key }), code })));
      }
      report(
        edge,
        command,
        { ...removal, dryRun: options.dryRun === true },
        options.dryRun ? removal.deleted : [`deleted ${count(removal.deleted.length, 'object')}`],
      );
      throwIfFailed(removal);
    });
}

/**
 * Deletes an object. A refusal is printed, and the rest continues.
 *
 * @throws an error that ends everything: of the session or the connection.
 */
async function removeObject(edge: Edge, connection: Connection, object: KeyPath, options: RmOptions): Promise<Removal> {
  try {
    return await removeIfThere(edge, connection, object, options);
  } catch (error) {
    const { status, code, message } = failureText(error);
    if (codeOf(error) === undefined || status === EXIT.notSignedIn) throw error;
    edge.printError(`${remoteText(object)}: ${message}`);
    return { deleted: [], failed: [{ key: object.key, code }] };
  }
}

async function removeIfThere(
  edge: Edge,
  connection: Connection,
  object: KeyPath,
  { dryRun }: RmOptions,
): Promise<Removal> {
  const found = await isThere(connection, object);
  if (found === false) {
    edge.printError(
      `${remoteText(object)}: ${(await isFolderThere(connection, object)) ? folderFault().message : 'there is nothing here'}`,
    );
    return nothingAt(object);
  }
  if (dryRun) return { deleted: [object.key], failed: [] };
  const removal = await removeKeys(edge, connection, object, [object.key]);
  if (found === undefined)
    edge.printError(`${remoteText(object)}: deleted if it was there; you may neither list nor read it`);
  return removal;
}

async function removeFolder(
  edge: Edge,
  connection: Connection,
  folder: KeyPath,
  { dryRun }: RmOptions,
): Promise<Removal> {
  const removal = dryRun
    ? { deleted: (await Array.fromAsync(listObjects(connection, folder))).map(({ key }) => key), failed: [] }
    : await removeBeneath(edge, connection, folder);
  if (removal.deleted.length > 0 || removal.failed.length > 0) return removal;
  try {
    await explainEmptyList(connection, folder);
    return removal;
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    edge.printError(error.message);
    return nothingAt(folder);
  }
}

function nothingAt({ key }: KeyPath): Removal {
  return { deleted: [], failed: [{ key, code: 'not_found' }] };
}

/** Deletes everything beneath a folder that the caller may list. */
export async function removeBeneath(edge: Edge, connection: Connection, folder: KeyPath): Promise<Removal> {
  const removal: Removal = { deleted: [], failed: [] };
  let keys: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (keys.length === 0) return;
    const { deleted, failed } = await removeKeys(edge, connection, folder, keys);
    removal.deleted.push(...deleted);
    removal.failed.push(...failed);
    keys = [];
    bytes = 0;
  };
  for await (const { key } of listObjects(connection, folder)) {
    if (keys.length >= KEYS_AT_ONCE || bytes >= KEY_BYTES_AT_ONCE) await flush();
    keys.push(key);
    bytes += Buffer.byteLength(JSON.stringify(key)) + 1;
  }
  await flush();
  return removal;
}

async function removeKeys(
  edge: Edge,
  connection: Connection,
  { provider, bucket }: KeyPath,
  keys: readonly string[],
): Promise<Removal> {
  const [only] = keys;
  const which = keys.length === 1 && only !== undefined ? { key: only } : { keys: [...keys] };
  const { deleted, failed } = await connection.call('object/delete', { provider, bucket, ...which });
  for (const { key, code } of failed) edge.printError(`${remoteText({ provider, bucket, key })}: ${reasonOf(code)}`);
  return { deleted: [...deleted], failed: [...failed] };
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
