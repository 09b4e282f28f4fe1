import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { allBuckets } from '../api/queries.ts';
import { SearchRun, type Found } from '../api/search-run.ts';
import { visibleText } from '../names/visible.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { baseName, parentOf, placeLink } from '../place/place.ts';
import type { Destination } from './destination.ts';

/** The search begins when the text has stood still for this time. */
const SETTLE_MS = 300;
const FEWEST_CHARACTERS = 2;
/** The search ends after this number of results. For more, the search page is better. */
const MOST = 8;

/** The first folders and files anywhere whose names contain a text, as they are found. The search ends when the text changes. */
export function useFoundLive(text: string): readonly Destination[] {
  const client = useQueryClient();
  const [{ of, found }, setFound] = useState<{ of: string; found: readonly Found[] }>({ of: '', found: [] });
  useEffect(() => {
    if (text.length < FEWEST_CHARACTERS || text.includes('://')) return;
    let stop = (): void => undefined;
    const timer = setTimeout(() => {
      const run = new SearchRun({ q: text, folders: 'true' }, () => allBuckets(client));
      const leave = run.results.subscribe((results) => {
        setFound({ of: text, found: results.found.slice(0, MOST) });
        if (results.found.length >= MOST && results.state === 'running') run.stop();
      });
      stop = () => {
        leave();
        run.stop();
      };
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [text, client]);
  return of === text ? found.map(destinationOf) : [];
}

function destinationOf({ provider, bucket, key, object }: Found): Destination {
  const prefix = parentOf(key) ?? '';
  const [kind, to] =
    object === undefined
      ? (['folder', placeLink({ provider, bucket, prefix: key })] as const)
      : (['file', placeLink({ provider, bucket, prefix }, key)] as const);
  return {
    id: `found ${to}`,
    label: visibleText(baseName(key)),
    to,
    icon: <EntryIcon entry={{ kind, key }} />,
    description: visibleText([provider, bucket, ...prefix.split('/').slice(0, -1)].join(' / ')),
  };
}
