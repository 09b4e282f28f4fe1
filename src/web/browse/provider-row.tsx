import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconChevronRight, IconServer2 } from '@tabler/icons-react';
import { Link } from 'react-router';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { bucketsQuery } from '../api/queries.ts';
import { accessLevelQuery } from '../permissions/access-level.ts';
import { providerLink } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import classes from './browse.module.css';
import { ProviderButtons } from './provider-buttons.tsx';

/** A provider on the home page: its state, the number of buckets, the access level of the user, and the actions. */
export function ProviderRow({ provider }: { provider: string }) {
  const { data, error, isPending, refetch } = useQuery(bucketsQuery(provider));
  const { data: level } = useQuery(accessLevelQuery(useQueryClient(), provider));
  const status = error !== null ? 'failing' : isPending ? 'pending' : 'fine';
  return (
    <li className={classes.provider}>
      <span className={classes.dot} data-status={status} aria-hidden />
      <IconServer2 size={20} stroke={1.7} aria-hidden />
      <div className={classes.providerText}>
        <Link to={providerLink(provider)} className={classes.providerName}>
          {provider}
        </Link>
        <Text size="sm" c="dimmed" {...(error !== null && { role: 'alert' })}>
          {error !== null
            ? explainFailure(failureOf(error))
            : data === undefined
              ? t('Loading buckets…')
              : bucketCount(data.length)}
        </Text>
      </div>
      <Group gap="xs" className={classes.providerTools}>
        {error !== null && (
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            {t('Try again')}
          </Button>
        )}
        {typeof level === 'string' && (
          <Badge
            variant="default"
            fw={500}
            tt="none"
            title={t('Your highest level of access here. It can differ from folder to folder.')}
          >
            {level}
          </Badge>
        )}
        <ProviderButtons provider={provider} quiet />
        <IconChevronRight size={18} aria-hidden className={classes.providerArrow} />
      </Group>
    </li>
  );
}

function bucketCount(count: number): string {
  if (count === 0) return t('No buckets that you may see');
  return plural(count, 'One bucket', '{count} buckets');
}
