import { Skeleton, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBucket, IconChevronRight, IconServer2 } from '@tabler/icons-react';
import { NavLink, useLocation } from 'react-router';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { bucketsQuery } from '../api/queries.ts';
import { providerLink } from '../place/place.ts';
import { t } from '../words/words.ts';
import { useKeptChoice } from './kept-choice.ts';
import classes from './sidebar.module.css';

/** The maximum number of buckets that are shown per provider. The filter finds the others. */
const SHOWN_BUCKETS = 200;

/** A provider in the sidebar. Its buckets are loaded when it is expanded. */
export function ProviderBranch({
  provider,
  filter,
  startsOpen,
}: {
  provider: string;
  filter: string;
  startsOpen: boolean;
}) {
  const link = providerLink(provider);
  const { pathname } = useLocation();
  const here = pathname === link || pathname.startsWith(`${link}/`);
  const [choice, setChoice] = useKeptChoice(`svc-branch ${provider}`, 'sessionStorage');
  const open = filter !== '' || (choice ?? (startsOpen || here));
  const { data, isPending, error } = useQuery({ ...bucketsQuery(provider), enabled: open });
  const wanted = filter.toLowerCase();
  const matching = data?.filter(({ name }) => `${provider}/${name}`.toLowerCase().includes(wanted)) ?? [];
  if (filter !== '' && data !== undefined && matching.length === 0) return null;
  return (
    <li>
      <div className={classes.provider}>
        <UnstyledButton
          className={classes.fold}
          aria-expanded={open}
          aria-label={t('Buckets of {provider}', { provider })}
          onClick={() => setChoice(!open)}
        >
          <IconChevronRight size={16} className={classes.chevron} aria-hidden />
        </UnstyledButton>
        <NavLink to={link} end className={classes.providerLink ?? ''}>
          <IconServer2 size={17} stroke={1.7} aria-hidden />
          <span className={classes.name}>{provider}</span>
        </NavLink>
      </div>
      {open && (
        <ul className={classes.buckets}>
          {isPending && (
            <li>
              <Skeleton h={18} w="auto" my={8} mx={10} />
            </li>
          )}
          {error !== null && (
            <li>
              <Text size="xs" c="dimmed" px="sm" py={4}>
                {explainFailure(failureOf(error))}
              </Text>
            </li>
          )}
          {data?.length === 0 && (
            <li>
              <Text size="xs" c="dimmed" px="sm" py={4}>
                {t('No buckets that you may see')}
              </Text>
            </li>
          )}
          {matching.slice(0, SHOWN_BUCKETS).map(({ name }) => (
            <li key={name}>
              <NavLink
                to={`${link}/${encodeURIComponent(name)}`}
                data-place={`${link}/${encodeURIComponent(name)}`}
                className={classes.bucket ?? ''}
              >
                <IconBucket size={16} stroke={1.7} aria-hidden />
                <span className={classes.name}>{name}</span>
              </NavLink>
            </li>
          ))}
          {matching.length > SHOWN_BUCKETS && (
            <li>
              <Text size="xs" c="dimmed" px="sm" py={4}>
                {t('{count} more. Use the filter to find them.', { count: matching.length - SHOWN_BUCKETS })}
              </Text>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}
