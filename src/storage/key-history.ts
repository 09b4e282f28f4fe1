import type { Permitted } from '../policy/model/permitted.ts';
import type { PrefixRef } from './provider.ts';
import type { ListedVersion } from './version-page.ts';
import { VersionWalk, type VersionQuery } from './version-walk.ts';

/** What the versions of a key say about a moment. */
export type KeyHistory = {
  readonly key: string;
  newest: ListedVersion;
  /** The newest version of that moment, which may be a delete marker; undefined when no version is so old. */
  asOf: ListedVersion | undefined;
  /** When the oldest version was written, in milliseconds since the epoch. */
  begins: number;
  /** Whether there is content with the version `null`, which a write replaces while the bucket keeps no versions. */
  hasNull: boolean;
  /** Whether the version `null` is newer than the moment, so that it may have replaced what was there. */
  hasLaterNull: boolean;
};

/** Keys with all their versions, and the position after them: an exclusive key. Keys between two pages have no versions that the caller may see. */
export type HistoryPage = { readonly histories: readonly KeyHistory[]; readonly after: string };

/**
 * Reads the history of each key beneath a prefix on which the caller may do `objects:versions`, in the order of the keys. However many versions a key has, only
 * what {@link KeyHistory} contains is kept of them.
 *
 * @param at - the moment, in milliseconds since the epoch.
 * @param after - the position to begin at: an exclusive key.
 */
export async function* walkHistories(
  place: Permitted<PrefixRef>,
  query: Omit<VersionQuery, 'action' | 'delimiter'>,
  at: number,
  after: string,
): AsyncGenerator<HistoryPage, void, void> {
  const walk = new VersionWalk(place, { ...query, action: 'objects:versions' }, { key: after });
  let open: KeyHistory | undefined;
  let position = after;
  let isOver = walk.ended;
  while (!isOver) {
    const histories: KeyHistory[] = [];
    for (const { version } of await walk.read()) {
      if (version === undefined) continue;
      if (open?.key !== version.key) {
        if (open !== undefined) histories.push(open);
        open = begun(version);
      }
      add(open, version, at);
    }
    isOver = walk.ended;
    if (open !== undefined && (isOver || walk.at.key !== open.key)) {
      histories.push(open);
      open = undefined;
    }
    position = open === undefined ? walk.at.key : (histories.at(-1)?.key ?? position);
    yield { histories, after: position };
  }
}

function begun(newest: ListedVersion): KeyHistory {
  return { key: newest.key, newest, asOf: undefined, begins: Infinity, hasNull: false, hasLaterNull: false };
}

function add(history: KeyHistory, version: ListedVersion, at: number): void {
  const written = Date.parse(version.lastModified);
  if (version.isLatest) history.newest = version;
  if (written <= at) history.asOf ??= version;
  history.begins = Math.min(history.begins, written);
  if (version.version !== 'null') return;
  history.hasNull ||= !version.isDeleteMarker;
  history.hasLaterNull ||= written > at;
}
