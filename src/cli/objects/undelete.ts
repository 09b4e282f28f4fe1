import type { Command } from 'commander';
import type { Connection } from '../../client/connection.ts';
import { codeOf } from '../../errors/svc-error.ts';
import { mayBeCopy } from '../../transfer/plain-etag.ts';
import { changeOnce } from '../../transfer/retry.ts';
import { connect } from '../argument/connect.ts';
import { asFolder, parseBeneath, parseObjectOfMany, type KeyPath } from '../argument/remote-path.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { failureText } from '../terminal/failure-text.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';
import { versionPages, type Version } from './version-pages.ts';

type UndeleteOptions = { readonly recursive?: true; readonly dryRun?: true };
type Outcome = { readonly restored: string[]; readonly failed: { readonly key: string; readonly code: string }[] };

const AT_ONCE = 8;

export function addUndelete(program: Command, edge: Edge): void {
  program
    .command('undelete')
    .description('bring deleted objects back')
    .argument('<path>', 'PROVIDER/BUCKET/KEY; with -r PROVIDER/BUCKET[/FOLDER]')
    .option('-r, --recursive', 'everything that was deleted beneath the folder, or in the whole bucket')
    .option('-n, --dry-run', 'only print what would be brought back')
    .addHelpText(
      'after',
      `
Brings the last version before the deletion back, as a new version on top. What
exists is left as it is, so the command can be run again after an interruption.
Required actions: \`objects:versions\`, \`objects:restore\` and \`objects:write\` on
each object; with -r, objects without the first are left out. Exit status 1 if
nothing here is deleted, or if an object could not be brought back.

Examples:
  svc undelete main/reports/q1.pdf
  svc undelete -r --dry-run main/reports/2026
  svc undelete -r main/reports/2026`,
    )
    .action(async (path: string, options: UndeleteOptions, command: Command) => {
      const place = options.recursive ? asFolder(parseBeneath(path)) : parseObjectOfMany(path);
      const connection = await connect(edge, command);
      const outcome: Outcome = { restored: [], failed: [] };
      const { restored, failed } = outcome;
      const tell = (): void =>
        report(
          edge,
          command,
          { ...outcome, dryRun: options.dryRun === true },
          options.dryRun ? restored : [`brought back ${count(restored.length, 'object')}`],
        );
      try {
        for await (const versions of deleted(connection, place, options.recursive ? 'prefix' : 'object')) {
          for (let i = 0; i < versions.length; i += AT_ONCE)
            await Promise.all(
              versions
                .slice(i, i + AT_ONCE)
                .map((version) => restore(edge, connection, place, version, options, outcome)),
            );
        }
      } catch (error) {
        if (restored.length + failed.length > 0) tell();
        throw error;
      }
      tell();
      if (failed.length > 0)
        throw new CliFailure(failed.every(({ code }) => code === 'access_denied') ? EXIT.denied : EXIT.failed);
      if (restored.length === 0)
        throw new CliFailure(EXIT.failed, 'nothing is deleted here that you may see', 'not_found');
    });
}

/** The last content of each deleted object, page by page. The versions of an object come one after another, the newest first. */
async function* deleted(
  connection: Connection,
  place: KeyPath,
  of: 'object' | 'prefix',
): AsyncGenerator<readonly Version[], void, void> {
  let open: string | undefined;
  for await (const page of versionPages(connection, place, of)) {
    const found: Version[] = [];
    for (const version of page) {
      if (version.isLatest) open = version.isDeleteMarker ? version.key : undefined;
      if (version.key !== open || version.isDeleteMarker) continue;
      found.push(version);
      open = undefined;
    }
    yield found;
  }
}

/**
 * Restores a version unless the object exists meanwhile. A refusal is printed, and the rest continues.
 *
 * @throws an error that ends everything: of the session or the connection.
 */
async function restore(
  edge: Edge,
  connection: Connection,
  { provider, bucket }: KeyPath,
  version: Version,
  { dryRun }: UndeleteOptions,
  { restored, failed }: Outcome,
): Promise<void> {
  const object = { provider, bucket, key: version.key };
  try {
    if (!dryRun)
      await changeOnce(
        () => connection.call('object/restore', { ...object, version: version.version, ifNoneMatch: '*' }),
        async (code) => code === 'precondition_failed' && (await isBack(connection, object, version)),
        connection,
      );
    restored.push(object.key);
  } catch (error) {
    const { status, code, message } = failureText(error);
    if (codeOf(error) === undefined || status === EXIT.notSignedIn) throw error;
    edge.printError(`${provider}/${bucket}/${object.key}: ${message}`);
    failed.push({ key: object.key, code });
  }
}

/** Whether the newest version of an object has the content of this version. */
async function isBack(connection: Connection, object: KeyPath, version: Version): Promise<boolean> {
  const first = await versionPages(connection, object, 'object').next();
  const newest = first.value?.find(({ isLatest }) => isLatest);
  return newest !== undefined && mayBeCopy(newest, version);
}
