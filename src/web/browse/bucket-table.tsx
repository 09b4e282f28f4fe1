import { ActionIcon, Button, Menu, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBucket, IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { failureOf } from '../../transfer/failure.ts';
import type { BucketList } from '../../wire/http.ts';
import { actions } from '../actions/registry.ts';
import { MenuItems } from '../actions/menu-items.tsx';
import { offersOn } from '../actions/offer.ts';
import { isInvalid } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { bucketsQuery } from '../api/queries.ts';
import { formatDate } from '../format/format.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import { placeLink } from '../place/place.ts';
import { NothingHere } from '../shell/not-found-page.tsx';
import { StaleNote } from '../shell/stale-note.tsx';
import { DeniedState, EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import classes from './browse.module.css';

type Bucket = BucketList['buckets'][number];

/** The browser takes seconds for a row of each of thousands of buckets. */
const ROWS_AT_ONCE = 200;

/** The buckets of a provider that the user may see. */
export function BucketTable({ provider }: { provider: string }) {
  const { data, dataUpdatedAt, error, isPending, refetch } = useQuery(bucketsQuery(provider));
  const allowed = usePermissions({ provider });
  if (isInvalid(error)) return <NothingHere />;
  if (error !== null && data === undefined)
    return <DownProvider provider={provider} error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={120} />;
  if (data.length === 0) {
    if (!allowed.pending && allowed.error === null && !allowed.may('buckets:read')) {
      return (
        <DeniedState
          action="buckets:list"
          place={{ provider }}
          onRetry={() => {
            allowed.retry();
            void refetch();
          }}
        />
      );
    }
    return (
      <EmptyState compact icon={IconBucket} title={t('No buckets that you may see')}>
        {allowed.may('buckets:create')
          ? t('Create the first one.')
          : t('If you have a link to a bucket, it may still open.')}
      </EmptyState>
    );
  }
  return (
    <>
      {error !== null && <StaleNote since={dataUpdatedAt} onRetry={() => void refetch()} />}
      <DataTable
        label={t('Buckets of {provider}', { provider })}
        columns={columnsOf(provider)}
        rows={data}
        keyOf={({ name }) => name}
        narrow="rows"
        atOnce={ROWS_AT_ONCE}
      />
    </>
  );
}

function columnsOf(provider: string): readonly Column<Bucket>[] {
  const columns: readonly Column<Bucket>[] = [
    {
      name: t('Bucket'),
      cell: ({ name }) => <BucketLink provider={provider} bucket={name} />,
      sortBy: ({ name }) => name,
    },
    {
      name: t('Created'),
      cell: ({ created_at: at }) => (at === null ? '–' : formatDate(at)),
      sortBy: ({ created_at: at }) => at ?? '',
      startsWith: 'descending',
      wide: true,
      short: true,
    },
  ];
  return actions.bucket.length === 0
    ? columns
    : [
        ...columns,
        { name: t('Actions'), silent: true, cell: ({ name }) => <BucketMenu provider={provider} bucket={name} /> },
      ];
}

function BucketLink({ provider, bucket }: { provider: string; bucket: string }) {
  return (
    <Link to={placeLink({ provider, bucket, prefix: '' })} className={classes.bucket}>
      <IconBucket size={18} stroke={1.7} aria-hidden />
      {bucket}
    </Link>
  );
}

/** The row of a provider that does not answer, with a retry button. */
function DownProvider({ provider, error, onRetry }: { provider: string; error: Error; onRetry: () => void }) {
  return (
    <div className={classes.card}>
      <div className={classes.provider} role="alert">
        <span className={classes.dot} data-status="failing" aria-hidden />
        <div className={classes.providerText}>
          <Text fw={600}>{provider}</Text>
          <Text size="sm" c="dimmed">
            {explainFailure(failureOf(error))}
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={onRetry}>
          {t('Try again')}
        </Button>
      </div>
    </div>
  );
}

/** The menu of a bucket. The permissions are requested when it opens, not for every row. */
function BucketMenu({ provider, bucket }: { provider: string; bucket: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Menu opened={open} onChange={setOpen} position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('Actions on {bucket}', { bucket })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{open && <BucketItems provider={provider} bucket={bucket} />}</Menu.Dropdown>
    </Menu>
  );
}

function BucketItems(target: { provider: string; bucket: string }) {
  const allowed = usePermissions(target);
  return <MenuItems offers={offersOn(actions.bucket, target, allowed)} asking={allowed} />;
}
