import { resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT, usageFault } from '../terminal/cli-failure.ts';
import { connect } from '../argument/connect.ts';
import type { Connection } from '../../client/connection.ts';
import { throwIfAnyFailed } from './copy-run.ts';
import type { Edge } from '../terminal/edge.ts';
import { failureText, type FailureText } from '../terminal/failure-text.ts';
import { remoteText } from '../argument/remote-path.ts';
import { RememberedUploads, type KeptUpload } from '../../client/remembered-uploads.ts';
import { report } from '../terminal/report.ts';
import { columns, count, sizeText, timeText } from '../terminal/text.ts';

export function addUploads(program: Command, edge: Edge): void {
  program
    .command('uploads')
    .description('list or drop interrupted uploads of this machine')
    .argument('[path...]', 'local files; default: all')
    .option('--drop', 'drop them, and remove their parts from storage')
    .addHelpText(
      'after',
      `
An interrupted upload of a large file leaves parts in storage. They take up
space until the same \`svc cp\` completes the upload or this command drops it.
Required action to drop an upload: \`objects:write\` on the target.

Examples:
  svc uploads
  svc uploads --drop ./disk.img
  svc uploads --drop`,
    )
    .action(async (paths: string[], { drop }: { drop?: true }, command: Command) => {
      const connection = await connect(edge, command);
      const remembered = new RememberedUploads(edge.env, connection.server);
      const wanted = new Set(paths.map((path) => resolve(path)));
      const uploads = (await remembered.list()).filter(({ path }) => wanted.size === 0 || wanted.has(path));
      const unknown = paths.find((path) => !uploads.some((upload) => upload.path === resolve(path)));
      if (unknown !== undefined)
        throw usageFault(
          `no upload of \`${unknown}\` to ${connection.server} has broken off here; see \`svc uploads\``,
        );
      const failed = drop
        ? await dropAll(connection, remembered, uploads, edge.printError)
        : new Map<KeptUpload, FailureText>();
      const rows = uploads
        .filter((upload) => !failed.has(upload))
        .map(({ path, target, size, begunAt }) => ({ path, target: remoteText(target), size, begunAt }));
      const lines = drop
        ? [`dropped ${count(rows.length, 'upload')}`]
        : columns(
            rows.map(({ path, target, size, begunAt }) => [timeText(begunAt), sizeText(size), path, target]),
            [1],
          );
      report(edge, command, rows, lines);
      throwIfAnyFailed([...failed.values()]);
    });
}

/** Drops uploads. Failures are printed, and those uploads stay remembered; the rest continues, unless nobody is signed in. */
async function dropAll(
  connection: Connection,
  remembered: RememberedUploads,
  uploads: readonly KeptUpload[],
  say: (line: string) => void,
): Promise<Map<KeptUpload, FailureText>> {
  const failed = new Map<KeptUpload, FailureText>();
  for (const upload of uploads) {
    const { path, target, uploadId: id } = upload;
    try {
      await connection.call('upload/abort', { ...target, id });
      await remembered.forget({ name: path }, target);
    } catch (error) {
      const failure = failureText(error);
      if (failure.status === EXIT.notSignedIn) throw error;
      failed.set(upload, failure);
      say(`${path}: ${failure.message}`);
    }
  }
  return failed;
}
