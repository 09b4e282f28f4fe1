import { CliFailure, EXIT } from './cli-failure.ts';
import type { Connection } from '../client/connection.ts';
import type { Edge } from './edge.ts';
import { remoteText, type KeyPath } from './remote-path.ts';
import { count, sizeText, visible } from './text.ts';

/** Enough to tell a slip from what was meant; a whole listing could take minutes. */
const LOOKED_AT = 1000;

/**
 * Asks the person at the terminal whether everything beneath the folders may go. Scripts have nobody to ask: for them, the command is the answer.
 *
 * @throws {CliFailure} when it may not.
 */
export async function confirmRemoval({ confirm }: Pick<Edge, 'confirm'>, connection: Connection, folders: readonly KeyPath[]): Promise<void> {
  if (confirm === undefined) return;
  const found = await Promise.all(folders.map((folder) => whatIsIn(connection, folder)));
  const lines = found.filter((line) => line !== undefined);
  if (lines.length === 0) return;
  if (await confirm(`${lines.map(visible).join('\n')}\ndelete ${lines.length === 1 ? 'this' : 'all of this'}?`)) return;
  throw new CliFailure(EXIT.failed, 'nothing was deleted', 'declined');
}

/** @returns undefined when there is nothing to be seen. */
async function whatIsIn(connection: Connection, folder: KeyPath): Promise<string | undefined> {
  const { provider, bucket, key: prefix } = folder;
  const { objects, nextCursor } = await connection.call('object/list', { provider, bucket, prefix, limit: LOOKED_AT });
  if (objects.length === 0 && nextCursor === null) return undefined;
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const much = `${count(objects.length, 'object')}, ${sizeText(bytes)}`;
  return `${remoteText(folder)}: ${nextCursor === null ? much : `${much}, and more`}`;
}
