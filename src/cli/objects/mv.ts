import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { hasBegun, nothingCopied, runCopy, tellingEnd } from './copy-run.ts';
import type { CopyTask } from './copy-task.ts';
import type { Connection } from '../../client/connection.ts';
import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { globbed, type ChosenPath } from './glob.ts';
import { openProgress } from '../terminal/progress.ts';
import { planRemoteCopies } from './remote-copy-plan.ts';
import { RememberedUploads } from '../../client/remembered-uploads.ts';
import {
  asFolder,
  parseBeneath,
  parseObjectOfMany,
  remoteText,
  sourcesAndTarget,
  type KeyPath,
} from '../argument/remote-path.ts';
import { report } from '../terminal/report.ts';
import { count } from '../terminal/text.ts';

const MOVES_AT_ONCE = 4;

type MvOptions = { readonly recursive?: boolean; readonly glob?: boolean };

export function addMv(program: Command, edge: Edge): void {
  program
    .command('mv')
    .description('move or rename objects within the service')
    .argument(
      '<path...>',
      'one or more sources, PROVIDER/BUCKET/KEY or with -r PROVIDER/BUCKET[/FOLDER]; then the target, an object or a folder, which ends with `/` or is a bucket',
    )
    .usage('[options] SOURCE... TARGET')
    .option('-r, --recursive', 'everything beneath the folder')
    .option('-g, --glob', 'the keys of the sources are globs; move what matches')
    .addHelpText(
      'after',
      `
No content passes through this machine. Existing targets are replaced. Each
source is deleted after its target is complete. If two sources have the same
target, the second one fails. Required actions: \`objects:get\` and
\`objects:delete\` on the source and \`objects:write\` on the target.

With -g, \`*.log\` means the objects of the bucket itself, and with -r also the
folders that match. The target is then a folder, so end it with \`/\`. Without
it, \`*\` and \`?\` in a path are part of the name, as in \`svc rm\`.

Examples:
  svc mv main/photos/see.jpg main/photos/sea.jpg
  svc mv main/inbox/scan.pdf main/reports/2026/
  svc mv -r main/photos/2024 main/archive/photos-2024
  svc mv --glob 'main/logs/*.log' main/logs/old/`,
    )
    .action(async (paths: string[], { recursive = false, glob = false }: MvOptions, command: Command) => {
      const { sources, target } = sourcesAndTarget(paths);
      const from = sources.map((source) =>
        recursive && !glob ? asFolder(parseBeneath(source)) : parseObjectOfMany(source),
      );
      const to = parseBeneath(target);
      if (glob && to.key !== '' && !to.key.endsWith('/'))
        throw usageFault(`with \`--glob\` the target is a folder: \`${remoteText(asFolder(to))}\``);
      const connection = await connect(edge, command);
      const tasks = glob
        ? planMatching(connection, from, to, recursive)
        : planRemoteCopies(connection, from, to, { recursive, several: sources.length > 1 });
      const progress = await openProgress(edge, { quiet: true });
      const outcome = nothingCopied();
      const tell = (): void =>
        report(edge, command, { moved: outcome.copied, failed: outcome.failed }, [
          `moved ${count(outcome.copied, 'object')}`,
        ]);
      edge.beforeInterrupt(() => {
        if (hasBegun(outcome)) tell();
      });
      const remembered = new RememberedUploads(edge.env, connection.server);
      const run = { jobs: MOVES_AT_ONCE, resume: false, move: true, remembered };
      await tellingEnd(outcome, tell, () => runCopy(connection, tasks, run, progress, outcome));
    });
}

/** Plans the moves of what the globs match. What several of them match is moved once. */
async function* planMatching(
  connection: Connection,
  globs: readonly KeyPath[],
  target: KeyPath,
  recursive: boolean,
): AsyncGenerator<CopyTask, void, void> {
  const from = new Map<string, ChosenPath>();
  const unmatched: KeyPath[] = [];
  for (const glob of globs) {
    let matches = 0;
    for await (const entry of globbed(connection, glob, recursive ? 'both' : 'objects')) {
      // The marker object of a folder is no object in it.
      if (entry.type === 'object' && entry.size === 0 && entry.key.endsWith('/')) continue;
      matches += 1;
      const path = { ...glob, key: entry.key, ...(entry.type === 'object' && { known: entry }) };
      from.set(remoteText(path), path);
    }
    if (matches === 0) unmatched.push(glob);
  }
  yield* planRemoteCopies(connection, [...from.values()], target, { recursive, several: true });
  for (const glob of unmatched) {
    const error = new CliFailure(EXIT.failed, 'nothing here that you may list matches', 'not_found');
    yield { kind: 'fail', from: glob, error };
  }
}
