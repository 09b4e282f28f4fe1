import { Menu, ActionIcon, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBucket, IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { actions } from '../actions/registry.ts';
import { MenuItems } from '../actions/menu-items.tsx';
import { offersOn } from '../actions/offer.ts';
import { bucketsQuery } from '../api/queries.ts';
import { formatDate } from '../format/format.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import { placeLink } from '../place/place.ts';
import { StaleNote } from '../shell/stale-note.tsx';
import { DeniedState, EmptyState, ErrorState } from '../shell/states.tsx';
import classes from './browse.module.css';

/** The buckets of a provider that the caller may see. */
export function BucketTable({ provider }: { provider: string }) {
  const { data, dataUpdatedAt, error, isPending, refetch } = useQuery(bucketsQuery(provider));
  const allowed = usePermissions({ provider });
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} title={`The buckets of ${provider} could not be loaded`} />;
  if (isPending) return <Skeleton h={120} />;
  if (data.length === 0) {
    if (!allowed.pending && allowed.error === null && !allowed.may('buckets:read')) {
      return (
        <DeniedState
          action="buckets:list"
          where={provider}
          onRetry={() => {
            allowed.retry();
            void refetch();
          }}
        />
      );
    }
    return (
      <EmptyState compact icon={IconBucket} title="No bucket here">
        {allowed.may('buckets:create') ? 'Create the first one.' : 'There is none that you may see. One that you were given a link to may still open.'}
      </EmptyState>
    );
  }
  return (
    <div className={classes.card}>
      {error !== null && <StaleNote since={dataUpdatedAt} onRetry={() => void refetch()} />}
      <Table highlightOnHover verticalSpacing={9} horizontalSpacing="md" aria-label={`Buckets of ${provider}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Bucket</Table.Th>
            <Table.Th scope="col" className={classes.wide} w="30%">
              Created
            </Table.Th>
            {actions.bucket.length > 0 && (
              <Table.Th scope="col" w={48}>
                <span className={classes.hidden}>Actions</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map(({ name, created_at: createdAt }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Link to={placeLink({ provider, bucket: name, prefix: '' })} className={classes.bucket}>
                  <IconBucket size={18} stroke={1.7} aria-hidden />
                  {name}
                </Link>
              </Table.Td>
              <Table.Td className={classes.wide}>
                <Text size="sm" c="dimmed" className="tabular">
                  {createdAt === null ? '–' : formatDate(createdAt)}
                </Text>
              </Table.Td>
              {actions.bucket.length > 0 && (
                <Table.Td>
                  <BucketMenu provider={provider} bucket={name} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** What may be done with the bucket is asked when its menu is opened, not for every row. */
function BucketMenu({ provider, bucket }: { provider: string; bucket: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Menu opened={open} onChange={setOpen} position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions on ${bucket}`}>
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
