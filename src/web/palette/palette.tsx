import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQueries, useQuery } from '@tanstack/react-query';
import { IconArrowRight, IconBucket, IconKeyboard, IconMoon, IconSearch, IconServer2 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { bucketsQuery, providersQuery } from '../api/queries.ts';
import { placeLink, providerLink } from '../place/place.ts';
import { useOfferedCommands } from './commands.ts';
import { useTypedAhead } from './typed-ahead.tsx';

const SHOWN = 40;

/**
 * Ctrl-K: to any provider, bucket or path, and the actions of the current page. It opens when it is mounted.
 *
 * @param typed - what was typed before it was there.
 */
export function Palette({ typed, onHelp }: { typed: string; onHelp: () => void }) {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  const commands = useOfferedCommands();
  const [query, setQuery] = useState(typed);
  const [isWaiting, setWaiting] = useState(true);
  useTypedAhead(isWaiting, setQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const buckets = useQueries({ queries: providers.map(({ name }) => bucketsQuery(name)) });
  useEffect(() => spotlight.open(), []);

  const goTo = (id: string, label: string, to: string, icon: SpotlightActionData['leftSection'], description?: string): SpotlightActionData => ({
    id,
    label,
    leftSection: icon,
    onClick: () => void navigate(to),
    ...(description === undefined ? {} : { description }),
  });
  const path = pathOf(query);
  const groups: SpotlightActionGroupData[] = [
    { group: 'Here', actions: commands.map(({ id, label, icon: Picture, run }) => ({ id: `command ${id}`, label, leftSection: <Picture size={20} stroke={1.6} />, onClick: run })) },
    {
      group: 'Go to',
      actions: providers.flatMap(({ name }, index) => [
        goTo(`provider ${name}`, name, providerLink(name), <IconServer2 size={20} stroke={1.6} />, 'Storage provider'),
        ...(buckets[index]?.data ?? []).map((bucket) =>
          goTo(`bucket ${name} ${bucket.name}`, bucket.name, placeLink({ provider: name, bucket: bucket.name, prefix: '' }), <IconBucket size={20} stroke={1.6} />, `Bucket in ${name}`),
        ),
      ]),
    },
    {
      group: 'View',
      actions: [
        { id: 'scheme', label: 'Switch between light and dark', leftSection: <IconMoon size={20} stroke={1.6} />, onClick: toggleColorScheme },
        { id: 'help', label: 'Keyboard shortcuts', leftSection: <IconKeyboard size={20} stroke={1.6} />, onClick: onHelp },
      ],
    },
  ];
  const all = path === undefined ? groups : [{ group: 'Path', actions: [goTo('path', query.trim(), placeLink(path), <IconArrowRight size={20} stroke={1.6} />, 'Open this place')] }, ...groups];
  return (
    <Spotlight
      actions={all.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={() => setWaiting(false)}
      attributes={{ content: { 'aria-label': 'Go to' } }}
      shortcut={null}
      limit={SHOWN}
      scrollable
      maxHeight="min(28rem, 60vh)"
      highlightQuery
      nothingFound="Nothing by that name. A path such as provider/bucket/folder/ can be opened directly."
      searchProps={{ onFocus: () => setWaiting(false), leftSection: <IconSearch size={20} stroke={1.6} />, placeholder: 'Bucket, action, or full path', 'aria-label': 'Go to' }}
    />
  );
}

/** `provider/bucket/prefix`, typed by somebody who knows where to go. */
function pathOf(query: string): { provider: string; bucket: string; prefix: string } | undefined {
  const [provider, bucket, ...rest] = query.trim().split('/');
  if (provider === undefined || bucket === undefined || provider === '' || bucket === '') return undefined;
  return { provider, bucket, prefix: rest.join('/') };
}
