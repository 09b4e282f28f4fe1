import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQueries, useQuery } from '@tanstack/react-query';
import { IconArrowRight, IconBucket, IconFolder, IconKeyboard, IconMoon, IconSearch, IconServer2 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { bucketsQuery, providersQuery } from '../api/queries.ts';
import { visibleText } from '../names/visible.ts';
import { baseName, placeAt, placeLink, placeName, providerLink } from '../place/place.ts';
import { useKeptPlaces } from '../places/places.ts';
import { searchFrom } from '../place/search-question.ts';
import { t } from '../words/words.ts';
import { addressesOf } from './address.ts';
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
  const { pathname, search } = useLocation();
  const here = placeAt(pathname, search);
  const { favourites, recent } = useKeptPlaces();
  const addresses = addressesOf(query, providers.flatMap(({ name: provider }, index) => (buckets[index]?.data ?? []).map(({ name: bucket }) => ({ provider, bucket }))));
  const folders = [...favourites, ...recent].filter(({ prefix }) => prefix !== '');
  const groups: SpotlightActionGroupData[] = [
    { group: t('Here'), actions: commands.map(({ id, label, icon: Picture, run }) => ({ id: `command ${id}`, label, leftSection: <Picture size={20} stroke={1.6} />, onClick: run })) },
    {
      group: t('Go to'),
      actions: providers.flatMap(({ name }, index) => [
        goTo(`provider ${name}`, name, providerLink(name), <IconServer2 size={20} stroke={1.6} />, t('Storage provider')),
        ...(buckets[index]?.data ?? []).map((bucket) =>
          goTo(`bucket ${name} ${bucket.name}`, bucket.name, placeLink({ provider: name, bucket: bucket.name, prefix: '' }), <IconBucket size={20} stroke={1.6} />, t('Bucket in {provider}', { provider: name })),
        ),
      ]),
    },
    {
      group: t('Favourite and recent folders'),
      actions: folders.map((place) => goTo(`folder ${placeLink(place)}`, visibleText(baseName(place.prefix)), placeLink(place), <IconFolder size={20} stroke={1.6} />, visibleText(`${place.provider} / ${place.bucket} / ${place.prefix}`))),
    },
    {
      group: t('View'),
      actions: [
        { id: 'scheme', label: t('Switch between light and dark'), leftSection: <IconMoon size={20} stroke={1.6} />, onClick: toggleColorScheme },
        { id: 'help', label: t('Keyboard shortcuts'), leftSection: <IconKeyboard size={20} stroke={1.6} />, onClick: onHelp },
      ],
    },
  ];
  const text = query.trim();
  const sought: SpotlightActionData[] = text === '' ? [] : [
    // The keyword makes it fit whatever was typed.
    ...addresses.map(({ link, label }) => ({ ...goTo(`address ${link}`, label, link, <IconArrowRight size={20} stroke={1.6} />, t('Open this place')), keywords: query })),
    ...(text.includes('://') ? [] : [{ ...goTo('search', t('Search for “{text}”', { text }), searchFrom(here, text), <IconSearch size={20} stroke={1.6} />, here === undefined ? t('In everything that you may see') : t('Below {place}', { place: visibleText(placeName(here)) })), keywords: query }]),
  ];
  const all = [...groups, { group: t('Find'), actions: sought }];
  if (addresses.length > 0) all.reverse();
  return (
    <Spotlight
      actions={all.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={() => setWaiting(false)}
      attributes={{ content: { 'aria-label': t('Go to') } }}
      shortcut={null}
      limit={SHOWN}
      scrollable
      maxHeight="min(28rem, 60vh)"
      highlightQuery
      nothingFound={t('Nothing by that name.')}
      searchProps={{ onFocus: () => setWaiting(false), leftSection: <IconSearch size={20} stroke={1.6} />, placeholder: t('Bucket, action, name of a file, or address'), 'aria-label': t('Go to') }}
    />
  );
}
