import { NavLink, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconFolder } from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { allBuckets } from '../api/queries.ts';
import { SearchRun } from '../api/search-run.ts';
import { Name } from '../names/name.tsx';
import { baseName, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';

const SHOWN = 100;

type Props = { readonly text: string; readonly within: Place | undefined; readonly onPick: (place: Place) => void };

/** Shows folders whose name contains a text, as they are found. @param within - the place to search, or undefined for all storage. */
export function FoundFolders({ text, within, onPick }: Props) {
  const client = useQueryClient();
  const where = within && `${within.provider} ${within.bucket}`;
  const run = useMemo(
    () =>
      new SearchRun({ q: text, folders: 'true' }, async () => (within === undefined ? allBuckets(client) : [within])),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `within` is a new object on each render; `where` identifies it
    [text, where, client],
  );
  const { state, found, unread } = useStore(run.results);
  useEffect(() => {
    run.comeBack();
    return () => run.leave();
  }, [run]);
  const folders = found.filter(({ object }) => object === undefined);
  return (
    <>
      {folders.slice(0, SHOWN).map(({ provider, bucket, key }) => (
        <NavLink
          key={`${provider}/${bucket}/${key}`}
          component="button"
          type="button"
          label={<Name>{baseName(key)}</Name>}
          description={<Name>{`${provider} / ${bucket} / ${key}`}</Name>}
          leftSection={<IconFolder size={18} color="var(--svc-folder)" />}
          onClick={() => onPick({ provider, bucket, prefix: key })}
        />
      ))}
      <Text p="sm" size="sm" c="dimmed" role="status">
        {state === 'running'
          ? t('Searching…')
          : folders.length === 0
            ? t('No folder with this name was found.')
            : state === 'enough' || folders.length > SHOWN
              ? t('The first {count} are shown. Type more of the name.', { count: Math.min(folders.length, SHOWN) })
              : ''}
        {state === 'done' && unread.length > 0 && ` ${t('Some places could not be searched.')}`}
      </Text>
    </>
  );
}
