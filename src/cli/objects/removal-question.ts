import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import type { ListedObject } from './listing.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import { count, sizeText, visible } from '../terminal/text.ts';

/** What may be deleted: a path as it was written, and the objects that it means. */
export type Removable = { readonly target: KeyPath; readonly objects: AsyncIterable<ListedObject> };

/** Enough to recognise a mistake; listing everything could take minutes. */
const LOOKED_AT = 1000;

/**
 * Asks the person at the terminal whether to delete all of this. Without a terminal, nobody is asked and the command is carried out.
 *
 * @throws {CliFailure} when the person declines.
 */
export async function confirmRemoval(
  { confirm }: Pick<Edge, 'confirm'>,
  removables: readonly Removable[],
): Promise<void> {
  if (confirm === undefined) return;
  const found = await Promise.all(removables.map(whatIsIn));
  const lines = found.filter((line) => line !== undefined);
  if (lines.length === 0) return;
  if (await confirm(`${lines.map(visible).join('\n')}\ndelete ${lines.length === 1 ? 'this' : 'all of this'}?`)) return;
  throw new CliFailure(EXIT.failed, 'nothing was deleted', 'declined');
}

/** @returns undefined when nothing is listed. */
async function whatIsIn({ target, objects }: Removable): Promise<string | undefined> {
  let [found, bytes] = [0, 0];
  for await (const { size } of objects) {
    if (found === LOOKED_AT) return `${remoteText(target)}: ${count(found, 'object')}, ${sizeText(bytes)}, and more`;
    found += 1;
    bytes += size;
  }
  return found === 0 ? undefined : `${remoteText(target)}: ${count(found, 'object')}, ${sizeText(bytes)}`;
}
