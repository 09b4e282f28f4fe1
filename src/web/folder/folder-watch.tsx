import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ObjectList } from '../../wire/http.ts';
import { onChangeElsewhere } from '../api/changed-buckets.ts';
import { PAGE_SIZE } from '../api/listing-request.ts';
import { listingQuery, pageTags, refreshPermissions } from '../api/queries.ts';
import { send } from '../api/request.ts';
import type { Place } from '../place/place.ts';
import { watchFolder } from '../session/session.ts';

const EVERY_MS = 20_000;
/** Those whom the service tells of the same change look within this time, and not all at once. */
const SPREAD_MS = 300;
/** A folder of more pages is not read again by itself, because all its pages would be. */
const MOST_PAGES = 10;
/** How long rows count as new: longer than they fade in. */
const NEW_MS = 2_000;

/**
 * Keeps an open folder up to date. It reads the folder again when another tab of this browser changed the bucket, and when the first page has another ETag. It
 * asks for the ETag when the service tells of a change, when the page comes to the front and every 20 seconds, unless the page is hidden, offline, or has
 * failed. Failures are left to the next time.
 *
 * @param onNew - hears of the keys that were not there before, or have other content; and of none when they are no longer new.
 */
export function FolderWatch({ place, onNew }: { place: Place; onNew: (keys: ReadonlySet<string>) => void }) {
  const client = useQueryClient();
  const { provider, bucket, prefix } = place;
  useEffect(() => {
    const query = listingQuery({ provider, bucket, prefix });
    const stop = new AbortController();
    let isAsking = false;
    let lookSoon: ReturnType<typeof setTimeout> | undefined;
    let newUntil: ReturnType<typeof setTimeout> | undefined;
    const state = () => client.getQueryState(query.queryKey);

    const readAgain = async (): Promise<void> => {
      const before = marksOf(state()?.data?.pages ?? []);
      await client.refetchQueries({ queryKey: query.queryKey, exact: true });
      const now = marksOf(state()?.data?.pages ?? []);
      // What is not listed any more may be gone, or hidden from the user now.
      if ([...before.keys()].some((key) => !now.has(key))) {
        void refreshPermissions(client);
        void client.invalidateQueries({ queryKey: ['head'] });
      }
      const added = [...now].filter(([key, mark]) => before.get(key) !== mark).map(([key]) => key);
      if (stop.signal.aborted || added.length === 0) return;
      clearTimeout(newUntil);
      onNew(new Set(added));
      newUntil = setTimeout(() => onNew(new Set()), NEW_MS);
    };
    const look = async (): Promise<void> => {
      const { data, error, fetchStatus, isInvalidated } = state() ?? {};
      const tag = data && pageTags.get(data.pages[0]!);
      if (data !== undefined && data.pages.length > MOST_PAGES) return;
      if (isAsking || document.hidden || !navigator.onLine || error !== null || fetchStatus !== 'idle') return;
      isAsking = true;
      try {
        if (isInvalidated === true || (typeof tag === 'string' && (await isChanged(place, tag, stop.signal))))
          await readAgain();
      } catch {
        // The next time may succeed.
      } finally {
        isAsking = false;
      }
    };

    /** What is under way may have been answered before the change. */
    const lookAfterIt = (): void => {
      if (isAsking || state()?.fetchStatus === 'fetching') lookIn(SPREAD_MS);
      else void look();
    };
    const lookIn = (ms: number): void => {
      clearTimeout(lookSoon);
      lookSoon = setTimeout(lookAfterIt, ms);
    };
    const stopWatching = watchFolder({ provider, bucket, prefix }, () => lookIn(Math.random() * SPREAD_MS));
    const timer = setInterval(() => void look(), EVERY_MS);
    const comeBack = () => void look();
    const stopHearing = onChangeElsewhere((changed) => {
      if (changed.provider !== provider || changed.bucket !== bucket) return;
      void client.invalidateQueries({ queryKey: ['listing', provider, bucket], refetchType: 'none' }).then(look);
    });
    window.addEventListener('focus', comeBack);
    window.addEventListener('online', comeBack);
    document.addEventListener('visibilitychange', comeBack);
    return () => {
      stop.abort();
      stopHearing();
      stopWatching();
      clearTimeout(lookSoon);
      clearInterval(timer);
      clearTimeout(newUntil);
      window.removeEventListener('focus', comeBack);
      window.removeEventListener('online', comeBack);
      document.removeEventListener('visibilitychange', comeBack);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the place is its three texts
  }, [client, provider, bucket, prefix, onNew]);
  return null;
}

/** Whether the caller would see another first page. @throws {ApiError} */
async function isChanged({ provider, bucket, prefix }: Place, tag: string, signal: AbortSignal): Promise<boolean> {
  const answer = await send(['api', 'providers', provider, 'buckets', bucket, 'objects'], {
    query: { prefix, delimiter: '/', limit: PAGE_SIZE },
    headers: { 'if-none-match': tag },
    signal,
  });
  await answer.body?.cancel();
  return answer.status !== 304;
}

/** What a row of each key shows. */
function marksOf(pages: readonly ObjectList[]): Map<string, string> {
  const marks = new Map<string, string>();
  for (const { prefixes, objects } of pages) {
    for (const prefix of prefixes) marks.set(prefix, '');
    for (const { key, etag, last_modified } of objects) marks.set(key, `${etag} ${last_modified}`);
  }
  return marks;
}
