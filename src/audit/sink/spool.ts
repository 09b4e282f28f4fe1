import { chainsIn } from '../chain-files.ts';
import { ChainFollower } from './chain-follower.ts';

/** The lines that wait for a sink. */
export type Spool = {
  readonly bytes: number;
  /** When the oldest waiting line was written, in milliseconds since the epoch. */
  readonly since: number | undefined;
};

/** Sums up the lines that wait for a sink in all chains of an audit. */
export function spooled(root: string, sink: string, keys: readonly string[]): Spool {
  let bytes = 0;
  let oldest = Infinity;
  for (const { folder } of chainsIn(root)) {
    const follower = new ChainFollower(folder, keys, true);
    const begin = follower.begin();
    if (begin === undefined) continue;
    const place = follower.cursorOf(sink, begin.chain) ?? begin.place;
    bytes += follower.bytesBehind(place);
    oldest = Math.min(oldest, follower.next(place, 1)?.since ?? Infinity);
  }
  return { bytes, since: oldest === Infinity ? undefined : oldest };
}

/** Names of the chains that none of the keys signed. They are never sent. */
export function unsignedChains(root: string, keys: readonly string[]): string[] {
  return chainsIn(root).flatMap(({ name, folder }) =>
    new ChainFollower(folder, keys, true).begin() === undefined ? [name] : [],
  );
}
