import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  IconArrowRight,
  IconBucket,
  IconFolder,
  IconKeyboard,
  IconMoon,
  IconSearch,
  IconServer2,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { bucketsQuery, listingQuery, providersQuery } from '../api/queries.ts';
import { visibleText } from '../names/visible.ts';
import { baseName, placeAt, placeLink, placeName, providerLink } from '../place/place.ts';
import { useKeptPlaces } from '../places/places.ts';
import { searchFrom } from '../place/search-question.ts';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import { addressesOf } from './address.ts';
import { useOfferedCommands } from './commands.ts';
import type { Destination } from './destination.ts';
import { useFoundLive } from './found-live.tsx';
import { foundInFolder } from './in-folder.tsx';
import classes from './palette.module.css';
import { pagesFor } from './pages.tsx';
import { useTypedAhead } from './typed-ahead.tsx';

const SHOWN = 40;

/**
 * The command palette (Ctrl and K): goes to a provider, bucket, page, path, row of the open folder, or file or folder that it finds anywhere, and starts actions of the current page. It opens when it is
 * mounted.
 *
 * @param typed - the text that the user typed while the palette was loading.
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

  const client = useQueryClient();
  const account = useAccount();
  const [isLeaving, setLeaving] = useState(false);
  const goTo = ({ to, icon, ...named }: Destination): SpotlightActionData => ({
    ...named,
    leftSection: icon,
    onClick: () => {
      setLeaving(true);
      void navigate(to);
    },
  });
  const { pathname, search } = useLocation();
  const here = placeAt(pathname, search);
  const text = query.trim();
  const pages = here === undefined ? [] : (client.getQueryData(listingQuery(here).queryKey)?.pages ?? []);
  const inFolder =
    here === undefined || text === ''
      ? []
      : foundInFolder(here, pages, text, new URLSearchParams(search).get('sort') ?? undefined);
  const shown = inFolder.map(({ to }) => withoutSort(to));
  const live = useFoundLive(text).filter(({ to }) => !shown.includes(to));
  const { favourites, recent } = useKeptPlaces();
  const addresses = addressesOf(
    query,
    providers.flatMap(({ name: provider }, index) =>
      (buckets[index]?.data ?? []).map(({ name: bucket }) => ({ provider, bucket })),
    ),
  );
  const folders = [...favourites, ...recent].filter(({ prefix }) => prefix !== '');
  const groups: SpotlightActionGroupData[] = [
    {
      group: t('Here'),
      actions: commands.map(({ id, label, icon: Picture, run }) => ({
        id: `command ${id}`,
        label,
        leftSection: <Picture size={20} stroke={1.6} />,
        onClick: run,
      })),
    },
    {
      group: t('Go to'),
      actions: providers.flatMap(({ name }, index) => [
        goTo({
          id: `provider ${name}`,
          label: name,
          to: providerLink(name),
          icon: <IconServer2 size={20} stroke={1.6} />,
          description: t('Storage provider'),
        }),
        ...(buckets[index]?.data ?? []).map((bucket) =>
          goTo({
            id: `bucket ${name} ${bucket.name}`,
            label: bucket.name,
            to: placeLink({ provider: name, bucket: bucket.name, prefix: '' }),
            icon: <IconBucket size={20} stroke={1.6} />,
            description: t('Bucket in {provider}', { provider: name }),
          }),
        ),
      ]),
    },
    {
      group: t('Favourite and recent folders'),
      actions: folders.map((place) =>
        goTo({
          id: `folder ${placeLink(place)}`,
          label: visibleText(baseName(place.prefix)),
          to: placeLink(place),
          icon: <IconFolder size={20} stroke={1.6} />,
          description: visibleText(`${place.provider} / ${place.bucket} / ${place.prefix}`),
        }),
      ),
    },
    { group: t('In this folder'), actions: inFolder.map(goTo) },
    { group: t('Pages'), actions: pagesFor(account, here, text !== '').map(goTo) },
    {
      group: t('View'),
      actions: [
        {
          id: 'scheme',
          label: t('Switch between light and dark'),
          leftSection: <IconMoon size={20} stroke={1.6} />,
          onClick: toggleColorScheme,
        },
        {
          id: 'help',
          label: t('Keyboard shortcuts'),
          leftSection: <IconKeyboard size={20} stroke={1.6} />,
          onClick: onHelp,
        },
      ],
    },
  ];
  const sought: SpotlightActionData[] =
    text === ''
      ? []
      : [
          // With the query as a keyword, the address always matches.
          ...addresses.map(({ link, label }) => ({
            ...goTo({
              id: `address ${link}`,
              label,
              to: link,
              icon: <IconArrowRight size={20} stroke={1.6} />,
              description: t('Open this place'),
            }),
            keywords: query,
          })),
          ...(text.includes('://')
            ? []
            : [
                {
                  ...goTo({
                    id: 'search',
                    label: t('Search for “{text}”', { text }),
                    to: searchFrom(here, text),
                    icon: <IconSearch size={20} stroke={1.6} />,
                    description:
                      here === undefined
                        ? t('In everything that you may see')
                        : t('In {place} and its subfolders', { place: visibleText(placeName(here)) }),
                  }),
                  keywords: query,
                },
              ]),
        ];
  const all = [...groups, { group: t('Find'), actions: sought }];
  if (addresses.length > 0) all.reverse();
  // They come later, so that nothing that is shown already moves. With the query as a keyword, they always match.
  all.push({ group: t('Found'), actions: live.map((found) => ({ ...goTo(found), keywords: query })) });
  return (
    <Spotlight
      actions={all.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={() => setWaiting(false)}
      // The keys are for the page that was chosen, and not for what had the focus on the page before.
      returnFocus={!isLeaving}
      attributes={{ content: { 'aria-label': t('Go to') } }}
      classNames={{ action: classes.action ?? '' }}
      shortcut={null}
      limit={SHOWN}
      scrollable
      maxHeight="min(28rem, 60vh)"
      highlightQuery
      nothingFound={t('Nothing was found')}
      searchProps={{
        onFocus: () => setWaiting(false),
        leftSection: <IconSearch size={20} stroke={1.6} />,
        placeholder: t('Bucket, action, name of a file, or address'),
        'aria-label': t('Go to'),
      }}
    />
  );
}

/** A link to a row without the order of the rows, which its last parameter may be. */
function withoutSort(link: string): string {
  return link.replace(/[?&]sort=[^&]*$/, '');
}
