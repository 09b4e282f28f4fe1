import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import type { Edge } from '../terminal/edge.ts';
import type { NameFilter } from '../argument/name-filter.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import { count, sizeText, visible } from '../terminal/text.ts';

/** Enough to recognise a mistake; listing everything could take minutes. */
const LOOKED_AT = 1000;

/**
 * Asks the person at the terminal whether to delete everything beneath the folders. Without a terminal, nobody is asked and the command is carried out.
 *
 * @throws {CliFailure} when the person declines.
 */
export async function confirmRemoval(
  { confirm }: Pick<Edge, 'confirm'>,
  connection: Connection,
  folders: readonly KeyPath[],
  filter?: NameFilter,
): Promise<void> {
  if (confirm === undefined) return;
  const found = await Promise.all(folders.map((folder) => whatIsIn(connection, folder, filter)));
  const lines = found.filter((line) => line !== undefined);
  if (lines.length === 0) return;
  if (await confirm(`${lines.map(visible).join('\n')}\ndelete ${lines.length === 1 ? 'this' : 'all of this'}?`)) return;
  throw new CliFailure(EXIT.failed, 'nothing was deleted', 'declined');
}

/** @returns undefined when nothing is listed. */
async function whatIsIn(connection: Connection, folder: KeyPath, filter?: NameFilter): Promise<string | undefined> {
  const { provider, bucket, key: prefix } = folder;
  const answer = await connection.call('object/list', { provider, bucket, prefix, limit: LOOKED_AT });
  const objects = answer.objects.filter(({ key }) => filter?.(key.slice(prefix.length)) !== false);
  const { nextCursor } = answer;
  if (objects.length === 0 && nextCursor === null) return undefined;
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const much = `${count(objects.length, 'object')}, ${sizeText(bytes)}`;
  return `${remoteText(folder)}: ${nextCursor === null ? much : `${much}, and more`}`;
}
