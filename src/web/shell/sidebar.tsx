import { CloseButton, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFilter, IconKey, IconPlugConnected, IconShieldLock, IconStar } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { providersQuery } from '../api/queries.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { isSamePlace, placeAt, placeLink, placeName } from '../place/place.ts';
import { useKeptPlaces } from '../places/places.ts';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import { ProviderBranch } from './provider-branch.tsx';
import classes from './sidebar.module.css';

/** Up to this number of providers, all are expanded at first. */
const FEW_PROVIDERS = 3;

/** The maximum number of favourites in the sidebar. The home page has all. */
const SHOWN_FAVOURITES = 10;

/** The favourites, the providers and their buckets with a filter, and links to the pages of tools, API keys and the administration. */
export function Sidebar() {
  const [filter, setFilter] = useState('');
  const providers = useQuery(providersQuery);
  const { isAdmin, hasApiKeys, s3 } = useAccount();
  return (
    <nav className={classes.nav} aria-label={t('Storage')}>
      {providers.data?.length !== 0 && (
        <TextInput
          className={classes.filter}
          size="sm"
          placeholder={t('Filter buckets')}
          aria-label={t('Filter providers and buckets')}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          leftSection={<IconFilter size={16} />}
          rightSection={
            filter !== '' && <CloseButton size="sm" aria-label={t('Clear the filter')} onClick={() => setFilter('')} />
          }
        />
      )}
      <div className={classes.scroll}>
        {providers.isPending && <Skeleton h={120} w="auto" mx="sm" />}
        {providers.error !== null && (
          <Text size="sm" c="dimmed" px="md" py="xs" role="alert">
            {explainFailure(failureOf(providers.error))}
          </Text>
        )}
        <Favourites filter={filter} />
        <ul className={classes.list}>
          {providers.data?.map((provider) => (
            <ProviderBranch
              key={provider.name}
              provider={provider.name}
              filter={filter}
              startsOpen={providers.data.length <= FEW_PROVIDERS}
            />
          ))}
        </ul>
      </div>
      {(isAdmin || hasApiKeys || s3 !== null) && (
        <ul className={classes.list}>
          {s3 !== null && <PageLink to="/tools" icon={IconPlugConnected} label={t('Connect a tool')} />}
          {hasApiKeys && <PageLink to="/keys" icon={IconKey} label={t('API keys')} />}
          {isAdmin && <PageLink to="/admin" icon={IconShieldLock} label={t('Administration')} />}
        </ul>
      )}
    </nav>
  );
}

/** The favourites whose name has the filter in it. */
function Favourites({ filter }: { filter: string }) {
  const { pathname, search } = useLocation();
  const here = placeAt(pathname, search);
  const shown = useKeptPlaces().favourites.filter((place) =>
    placeName(place).toLowerCase().includes(filter.toLowerCase()),
  );
  if (shown.length === 0) return null;
  return (
    <ul className={`${classes.list ?? ''} ${classes.favourites ?? ''}`} aria-label={t('Favourite folders')}>
      {shown.slice(0, SHOWN_FAVOURITES).map((place) => (
        <li key={placeLink(place)}>
          <Link
            to={placeLink(place)}
            className={classes.bucket ?? ''}
            title={visibleText([place.provider, place.bucket, place.prefix].filter((part) => part !== '').join(' / '))}
            aria-current={here !== undefined && isSamePlace(here, place) ? 'page' : undefined}
          >
            <IconStar size={16} stroke={1.7} aria-hidden />
            <span className={classes.name}>
              <Name cut>{placeName(place)}</Name>
            </span>
          </Link>
        </li>
      ))}
      {shown.length > SHOWN_FAVOURITES && (
        <li>
          <Link to="/" className={classes.bucket ?? ''}>
            {t('All favourites')}
          </Link>
        </li>
      )}
    </ul>
  );
}

function PageLink({ to, icon: Icon, label }: { to: string; icon: typeof IconKey; label: string }) {
  return (
    <li>
      <NavLink to={to} className={classes.page ?? ''}>
        <Icon size={18} stroke={1.7} aria-hidden />
        {label}
      </NavLink>
    </li>
  );
}
