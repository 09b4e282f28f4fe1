import type { Command } from 'commander';
import { codeOf } from '../../errors/svc-error.ts';
import { connect } from '../argument/connect.ts';
import { CliFailure, EXIT, statusOfFailures, usageFault } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { chosenBeneath, matching } from './chosen-objects.ts';
import { folderFault } from './copy-task.ts';
import type { Edge } from '../terminal/edge.ts';
import { explainEmptyList } from './empty-list.ts';
import { failureText } from '../terminal/failure-text.ts';
import { FILTER_HELP, filterOf, withFilter, type FilterOptions, type NameFilter } from '../argument/name-filter.ts';
import { isGlob } from './glob.ts';
import { isFolderThere, isThere } from './listing.ts';
import { asFolder, parseBeneath, parseObjectOfMany, remoteText, type KeyPath } from '../argument/remote-path.ts';
import { removeAll, removeKeys, type Removal } from './removal.ts';
import { confirmRemoval } from './removal-question.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

type RmOptions = FilterOptions & {
  readonly recursive?: true;
  readonly glob?: true;
  readonly dryRun?: true;
  readonly yes?: true;
};
type How = { readonly recursive: boolean; readonly dryRun: boolean; readonly filter: NameFilter | undefined };
export function addRm(program: Command, edge: Edge): void {
  const command = program
    .command('rm')
    .description('delete objects')
    .argument('<path...>', 'PROVIDER/BUCKET/KEY; with -r PROVIDER/BUCKET[/FOLDER]')
    .option('-r, --recursive', 'everything beneath the folder, or the whole bucket')
    .option('-g, --glob', 'the keys are globs; delete what matches')
    .option('-n, --dry-run', 'only print what would be deleted');
  withFilter(command)
    .option('-y, --yes', 'with -r or -g on a terminal: do not ask')
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

With -g, the keys of the paths are globs too: \`*.tmp\` means the objects of the
bucket itself, and with -r also everything beneath folders that match. Without
it, \`*\` and \`?\` in a path are part of the name, so that a name that a script
passes never means another object.

With --dry-run, control characters in names are printed as \\u{1b}, one name on a
line. --json prints the names unchanged.

Examples:
  svc rm main/photos/2025/sea.jpg
  svc rm -r --dry-run main/photos/2025
  svc rm -r main/photos/2025
  svc rm -r main/photos --include '*.tmp'
  svc rm --glob 'main/photos/*.tmp'
  svc rm -r --yes main/scratch`,
    )
    .action(async (paths: string[], options: RmOptions, command: Command) => {
      const targets = paths.map((path) => {
        if (options.glob) return parseObjectOfMany(path);
        return options.recursive ? asFolder(parseBeneath(path)) : parseObjectOfMany(path);
      });
      const filter = filterOf(options);
      if (filter !== undefined && options.recursive === undefined)
        throw usageFault('`--include` and `--exclude` choose what is deleted beneath a folder; give `-r` too');
      const connection = await connect(edge, command);
      const how = { recursive: options.recursive === true, dryRun: options.dryRun === true, filter };
      if ((how.recursive || options.glob) && !how.dryRun && !options.yes)
        await confirmRemoval(
          edge,
          targets.map((target) => ({
            target,
            objects: options.glob ? matching(connection, target, how) : chosenBeneath(connection, target, filter),
          })),
        );
      const removal: Removal = { deleted: [], failed: [] };
      const tell = (text: string): void =>
        report(edge, command, { ...removal, dryRun: how.dryRun }, options.dryRun ? removal.deleted : [text]);
      const tellEnded = (): void => {
        if (!options.dryRun && removal.deleted.length + removal.failed.length > 0) tell(textOfEnded(removal));
      };
      edge.beforeInterrupt(tellEnded);
      const remove = options.glob ? removeMatching : options.recursive ? removeFolder : removeObject;
      try {
        for (const target of targets) await remove(edge, connection, target, how, removal);
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
    const nothing = isGlob(object.key)
      ? 'there is nothing of this very name; give `--glob` for what matches'
      : 'there is nothing here';
    const { message, code } = (await isFolderThere(connection, object))
      ? folderFault()
      : new CliFailure(EXIT.failed, nothing, 'not_found');
    edge.printError(`${path}: ${message}`);
    removal.failed.push({ key: path, code });
    return;
  }
  if (dryRun) {
    removal.deleted.push(path);
    return;
  }
  await removeKeys(edge, connection, object, [object.key], removal);
  if (found === undefined) edge.printError(`${path}: deleted if it was there; you may neither list nor read it`);
}

async function removeMatching(
  edge: Edge,
  connection: Connection,
  glob: KeyPath,
  how: How,
  removal: Removal,
): Promise<void> {
  const before = removal.deleted.length + removal.failed.length;
  await removeAll(edge, connection, glob, matching(connection, glob, how), how.dryRun, removal);
  if (removal.deleted.length + removal.failed.length === before) tellNoMatch(edge, glob, removal);
}

function tellNoMatch(edge: Edge, path: KeyPath, removal: Removal): void {
  edge.printError(`${remoteText(path)}: nothing here that you may list matches`);
  removal.failed.push({ key: remoteText(path), code: 'not_found' });
}

async function removeFolder(
  edge: Edge,
  connection: Connection,
  folder: KeyPath,
  { dryRun, filter }: How,
  removal: Removal,
): Promise<void> {
  const before = removal.deleted.length + removal.failed.length;
  await removeAll(edge, connection, folder, chosenBeneath(connection, folder, filter), dryRun, removal);
  if (removal.deleted.length + removal.failed.length > before) return;
  if (filter !== undefined) {
    tellNoMatch(edge, folder, removal);
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

/** Says what was deleted before an error. The service may have done more, if only its answer was lost. */
export function textOfEnded({ deleted }: Removal): string {
  return `deleted at least ${count(deleted.length, 'object')} before it ended`;
}

/** @throws {CliFailure} when any deletion failed. Each failure was already printed. */
export function throwIfFailed({ failed }: Pick<Removal, 'failed'>): void {
  if (failed.length === 0) return;
  const isPlain = failed.every(({ code }) => code === 'not_found' || code === 'usage');
  const [code, ...others] = new Set(failed.map((each) => each.code));
  throw new CliFailure(
    statusOfFailures(failed),
    isPlain ? '' : `${count(failed.length, 'object')} could not be deleted`,
    others.length === 0 ? code : 'failed',
  );
}
