import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { headFile, REMOVED_FILE, segmentFile, trustedHead, type Head, type Removed } from './chain-files.ts';
import { isSignedBy, type Signed } from './signing-key.ts';

/** Reads the head of a segment. What is wrong with it is a fault of the segment. */
export function readHead(
  folder: string,
  segment: number,
  keys: readonly string[],
  fault: (what: string) => void,
): Head | undefined {
  const head = readSignature<Head>(headFile(folder, segment), keys, (what) => fault(`its head ${what}`));
  if (head === undefined || (head.name === basename(folder) && head.segment === segment)) return head;
  fault(
    `its head is that of ${head.name === basename(folder) ? '' : 'another chain, '}segment ${head.segment} of \`${head.name}\``,
  );
  return undefined;
}

/** Reads the record of what was removed for its age. */
export function readRemoved(
  folder: string,
  keys: readonly string[],
  fault: (what: string) => void,
): Removed | undefined {
  const removed = readSignature<Removed>(join(folder, REMOVED_FILE), keys, fault);
  if (removed === undefined || removed.name === basename(folder)) return removed;
  fault(`is that of another chain, \`${removed.name}\``);
  return undefined;
}

/** Whether a segment was left by a crash between the record of its removal and the removal, or has just been removed. */
export function isLeftOver(
  folder: string,
  segment: number,
  { through, last, tip }: Removed,
  keys: readonly string[],
): boolean {
  const head = trustedHead(folder, segment, keys);
  return !existsSync(segmentFile(folder, segment)) || (segment === through && head?.last === last && head.tip === tip);
}

function readSignature<T extends object>(
  file: string,
  keys: readonly string[],
  fault: (what: string) => void,
): Signed<T> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Signed<T>;
    if (isSignedBy(keys, found)) return found;
    fault(
      keys.includes(found.key)
        ? 'is not as it was signed'
        : `was signed with another key, \`${found.key.slice(0, 43)}\``,
    );
  } catch {
    fault('cannot be read');
  }
  return undefined;
}
