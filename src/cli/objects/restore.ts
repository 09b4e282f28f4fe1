import type { Command } from 'commander';
import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import type { Connection } from '../../client/connection.ts';
import { pagesOf } from '../../client/pages.ts';
import { withRetries } from '../../transfer/retry.ts';
import type { OperationOutput } from '../../wire/operations.ts';
import { connect } from '../argument/connect.ts';
import { pastTimeOf } from '../argument/local-time.ts';
import { asFolder, parseBeneath, remoteText, type KeyPath } from '../argument/remote-path.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { report, wantsJson } from '../terminal/report.ts';
import { columns, count, sizeText, timeText, visible } from '../terminal/text.ts';

type RestoreOptions = { readonly at: string; readonly dryRun?: boolean; readonly yes?: boolean };
type Page = OperationOutput<'object/restoreFolder'>;
type Entry = Page['entries'][number];
type Change = keyof Page['counts'];
type Restoring = { readonly folder: KeyPath; readonly at: string };
type Restored = {
  readonly counts: Record<Change, { objects: number; bytes: number }>;
  readonly entries: Entry[];
  plannedAt: string | undefined;
};

export function addRestore(program: Command, edge: Edge): void {
  program
    .command('restore')
    .description('bring a folder back to a moment')
    .argument('<path>', 'PROVIDER/BUCKET[/FOLDER]')
    .requiredOption('--at <time>', "the moment: local time such as '2026-11-20 17:00', or RFC 3339", pastTimeOf)
    .option('-n, --dry-run', 'only print what would be done')
    .option('-y, --yes', 'on a terminal: do not ask')
    .addHelpText(
      'after',
      `
Brings back what was overwritten or deleted since then, as new versions on top,
and deletes what did not exist, so that its versions stay. After an
interruption, run the command again: it continues with the rest.

Required actions: \`objects:versions\` on each object, or it is left out;
\`objects:restore\` and \`objects:write\` on what is brought back;
\`objects:delete\` on what is deleted. What stays as it is although it was
different then is printed with the reason. The exit status is then 1, or 3 if
policy denied each change; it is also 1 if there is nothing here that you may
see.

On a terminal, the command shows how much it would do and asks first, unless you
give --yes. What somebody changes after this question stays as it is.

Examples:
  svc restore --at '2026-11-20 17:00' --dry-run main/team/reports/
  svc restore --at '2026-11-20 17:00' main/team/reports/
  svc restore --at 2026-11-20T16:00:00Z --yes --json main/team`,
    )
    .action(async (path: string, { at, dryRun = false, yes = false }: RestoreOptions, command: Command) => {
      const restoring = { folder: asFolder(parseBeneath(path)), at };
      const connection = await connect(edge, command);
      const ifUnmodifiedSince = dryRun || yes ? undefined : await confirmRestore(edge, connection, restoring);
      const restored = newRestored();
      const tell = (): void => {
        const lines = dryRun ? columns(restored.entries.map(cellsOf), [1]) : [];
        report(edge, command, { counts: restored.counts, entries: restored.entries, dryRun }, [
          ...lines,
          textOf(restored, dryRun),
        ]);
      };
      if (!dryRun) edge.beforeInterrupt(tell);
      try {
        for await (const page of pages(connection, restoring, { dryRun, ifUnmodifiedSince })) {
          add(restored, page);
          if (!dryRun && !wantsJson(command))
            for (const entry of page.entries)
              if (entry.change === 'leave') edge.printError(`${entry.key}: ${reasonOf(entry.why)}`);
        }
      } catch (error) {
        if (restored.plannedAt !== undefined && !dryRun) tell();
        throw error;
      }
      tell();
      requireAll(restored, dryRun);
    });
}

/**
 * Asks the person at the terminal whether to carry out the plan. Without a terminal, nobody is asked and the command is carried out.
 *
 * @returns the time of the plan; undefined when nobody was asked.
 * @throws {CliFailure} when the person declines.
 */
async function confirmRestore(
  { confirm }: Pick<Edge, 'confirm'>,
  connection: Connection,
  restoring: Restoring,
): Promise<string | undefined> {
  if (confirm === undefined) return undefined;
  const plan = newRestored();
  for await (const page of pages(connection, restoring, { dryRun: true })) add(plan, page);
  if (plan.counts.restore.objects + plan.counts.delete.objects === 0) return undefined;
  const what = `${visible(remoteText(restoring.folder))}, back to ${timeText(restoring.at)}: ${textOf(plan, true)}`;
  if (await confirm(`${what}\nrestore this?`)) return plan.plannedAt;
  throw new CliFailure(EXIT.failed, 'nothing was changed', 'declined');
}

function pages(
  connection: Connection,
  { folder: { provider, bucket, key: prefix }, at }: Restoring,
  { dryRun, ifUnmodifiedSince }: { readonly dryRun: boolean; readonly ifUnmodifiedSince?: string | undefined },
): AsyncGenerator<Page, void, void> {
  const question = {
    provider,
    bucket,
    prefix,
    at,
    dryRun,
    ...(ifUnmodifiedSince !== undefined && { ifUnmodifiedSince }),
  };
  // A page that is asked for again leaves alone what a try whose answer was lost has brought back. The first page has fewer tries, so that the person learns soon that
  // the service does not run.
  return pagesOf((from) =>
    withRetries(() => connection.call('object/restoreFolder', { ...question, ...from }), {
      retries: from.cursor === undefined ? 2 : undefined,
      onRetry: connection.onRetry,
    }),
  );
}

function newRestored(): Restored {
  const none = () => ({ objects: 0, bytes: 0 });
  return {
    counts: { restore: none(), delete: none(), leave: none(), unchanged: none() },
    entries: [],
    plannedAt: undefined,
  };
}

function add(sum: Restored, { plannedAt, entries, counts }: Page): void {
  sum.plannedAt ??= plannedAt;
  sum.entries.push(...entries);
  for (const [change, { objects, bytes }] of Object.entries(counts) as [Change, { objects: number; bytes: number }][]) {
    sum.counts[change].objects += objects;
    sum.counts[change].bytes += bytes;
  }
}

/** @throws {CliFailure} when something is not as it was then, or nothing is there. */
function requireAll({ counts, entries }: Restored, dryRun: boolean): void {
  if (Object.values(counts).every(({ objects }) => objects === 0))
    throw new CliFailure(EXIT.failed, 'there is nothing here of which you may see versions', 'not_found');
  const left = entries.filter(({ change }) => change === 'leave');
  if (left.length === 0 || dryRun) return;
  const denied = left.every(({ why }) => why === 'access_denied');
  throw new CliFailure(
    denied ? EXIT.denied : EXIT.failed,
    `${count(left.length, 'object')} could not be brought back to that moment`,
    denied ? 'access_denied' : 'failed',
  );
}

function cellsOf({ key, change, size, why }: Entry): string[] {
  return [change, sizeText(size), why === null ? key : `${key} (${reasonOf(why)})`];
}

function textOf({ counts }: Restored, isPlan: boolean): string {
  const part = (verb: string, { objects, bytes }: { readonly objects: number; readonly bytes: number }): string =>
    `${verb} ${count(objects, 'object')} (${sizeText(bytes)})`;
  if (isPlan)
    return `would ${[part('bring back', counts.restore), part('delete', counts.delete), part('leave', counts.leave)].join(', ')}`;
  // What a try whose answer was lost has brought back counts as unchanged in the next one.
  const asThen = {
    objects: counts.restore.objects + counts.unchanged.objects,
    bytes: counts.restore.bytes + counts.unchanged.bytes,
  };
  const done = [part('brought back', counts.restore), part('deleted', counts.delete), part('left', counts.leave)];
  return `${done.join(', ')}; ${part('now as then:', asThen)}`;
}

const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'your policies do not allow this',
  not_kept: 'what was there then is not kept, or not known',
  not_versioned: 'the bucket keeps no new versions, so this could not be undone',
  changed: 'somebody changed it meanwhile',
};

function reasonOf(why: string | null): string {
  const code = why ?? '';
  return REASONS[code] ?? (Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode].title.toLowerCase() : code);
}
