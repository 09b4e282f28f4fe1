import type { Command } from 'commander';
import { asFolder, asRemote, isRemote, parseBeneath, remoteText } from '../argument/remote-path.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { SyncPlace } from './sync-plan.ts';
import type { CompareBy } from './sync-same.ts';

export type SyncPlaces = { readonly from: SyncPlace; readonly to: SyncPlace };
export type ComparisonOptions = { readonly sizeOnly?: true; readonly checksum?: true };

/** Adds the options that say by what files are compared. */
export function withComparison(command: Command): Command {
  return command
    .option('--size-only', 'compare sizes alone')
    .option('--checksum', 'compare sizes and checksums, not times');
}

/** @throws {CliFailure} usage: both options were given. */
export function compareBy({ sizeOnly, checksum }: ComparisonOptions): CompareBy {
  if (sizeOnly && checksum) throw usageFault('give either `--size-only` or `--checksum`');
  return sizeOnly ? 'size' : checksum ? 'checksum' : 'time';
}

/**
 * Reads the two folders of a command.
 *
 * @throws {CliFailure} usage: both are local, or one lies within the other.
 */
export function placesOf(source: string, target: string): SyncPlaces {
  const [from, to] = [placeOf(source), placeOf(target)];
  refuseUnlike(from, to);
  return { from, to };
}

function placeOf(text: string): SyncPlace {
  return isRemote(text) ? asFolder(parseBeneath(text)) : text;
}

function refuseUnlike(from: SyncPlace, to: SyncPlace): void {
  if (typeof from === 'string' || typeof to === 'string') {
    if (typeof from === 'string' && typeof to === 'string')
      throw usageFault(`both sides are local; a remote path begins with \`svc:\`, such as \`${asRemote(to)}\``);
    return;
  }
  const [a, b] = [from, to].map((place) => `${remoteText({ ...place, key: '' })}/${place.key}`) as [string, string];
  if (a.startsWith(b) || b.startsWith(a)) throw usageFault('source and target lie within each other');
}
