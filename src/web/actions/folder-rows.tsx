import { Button, Center, Loader, NavLink, Text } from '@mantine/core';
import { IconBucket, IconChevronRight, IconDatabase, IconFolder } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { bucketsQuery, listingQuery, providersQuery } from '../api/queries.ts';
import { Name } from '../names/name.tsx';
import { nameIn, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';

/** The place that the folder picker shows: all providers if `provider` is undefined, the buckets of a provider if `bucket` is undefined, otherwise a folder. */
export type PickedPlace = {
  readonly provider?: string | undefined;
  readonly bucket?: string | undefined;
  readonly prefix: string;
};

type Props = { readonly picked: PickedPlace; readonly onPick: (place: PickedPlace) => void };

/** The providers, buckets or folders in a place that can be opened. */
export function FolderRows({ picked: { provider, bucket, prefix }, onPick }: Props) {
  if (provider === undefined) return <Providers onPick={onPick} />;
  return bucket === undefined ? (
    <Buckets provider={provider} onPick={onPick} />
  ) : (
    <Folders place={{ provider, bucket, prefix }} onPick={onPick} />
  );
}

function Providers({ onPick }: Pick<Props, 'onPick'>) {
  const { data, error } = useQuery(providersQuery);
  return (
    <Rows
      names={data?.map(({ name }) => name)}
      error={error}
      icon={<IconDatabase size={18} />}
      none={t('No storage is listed for you.')}
      onOpen={(provider) => onPick({ provider, prefix: '' })}
    />
  );
}

function Buckets({ provider, onPick }: { provider: string } & Pick<Props, 'onPick'>) {
  const { data, error } = useQuery(bucketsQuery(provider));
  return (
    <Rows
      names={data?.map(({ name }) => name)}
      error={error}
      icon={<IconBucket size={18} />}
      none={t('No buckets that you may see')}
      onOpen={(bucket) => onPick({ provider, bucket, prefix: '' })}
    />
  );
}

function Folders({ place, onPick }: { place: Place } & Pick<Props, 'onPick'>) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(listingQuery(place));
  const prefixes = data?.pages.flatMap((page) => page.prefixes);
  return (
    <>
      <Rows
        names={prefixes?.map((key) => nameIn(place.prefix, key))}
        error={error}
        icon={<IconFolder size={18} color="var(--svc-folder)" />}
        none={t('No folders in here.')}
        onOpen={(_name, row) => onPick({ ...place, prefix: prefixes?.[row] ?? place.prefix })}
      />
      {hasNextPage && (
        <Center p="xs">
          <Button variant="subtle" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('Look for more folders')}
          </Button>
        </Center>
      )}
    </>
  );
}

type RowsProps = {
  readonly names: readonly string[] | undefined;
  readonly error: Error | null;
  readonly icon: ReactNode;
  readonly none: string;
  readonly onOpen: (name: string, row: number) => void;
};

function Rows({ names, error, icon, none, onOpen }: RowsProps) {
  if (error)
    return (
      <Text p="md" size="sm" c="red">
        {explainFailure(failureOf(error))}
      </Text>
    );
  if (!names)
    return (
      <Center p="xl">
        <Loader size="sm" role="status" aria-label={t('Loading')} />
      </Center>
    );
  if (names.length === 0)
    return (
      <Text p="md" size="sm" c="dimmed">
        {none}
      </Text>
    );
  return names.map((name, row) => (
    <NavLink
      key={`${name}/${row}`}
      component="button"
      type="button"
      label={<Name>{name}</Name>}
      leftSection={icon}
      rightSection={<IconChevronRight size={16} />}
      onClick={() => onOpen(name, row)}
    />
  ));
}
