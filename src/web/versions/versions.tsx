import { Badge, Button, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconVersions } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import { formatBytes } from '../../format/byte-size.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { objectUrl, type ObjectRef } from '../api/object-calls.ts';
import { refreshListing } from '../api/queries.ts';
import { formatExactTime, formatSecond } from '../format/format.ts';
import { isShortText } from '../objects/editable.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { NextPageButton } from '../parts/next-page-button.tsx';
import { t } from '../words/words.ts';
import type { MayAll } from './may-all.ts';
import { openPurge } from './purge.tsx';
import { bucketInfoQuery, restoreVersion, versionsQuery, type Version } from '../api/version-calls.ts';

/** The previews whose queries do not name the ETag. */
const PREVIEWS = ['preview-text', 'preview-csv', 'preview-pdf'];

/** Shows a version beside the current one. @param when - the time of the version, for display. */
export type Compare = (version: string, when: string) => void;

type Properties = { readonly object: ObjectRef; readonly mayAll: MayAll; readonly onCompare: Compare };

/** The versions of an object. They are loaded only on request, because storage answers the question more slowly than others. */
export function Versions(properties: Properties) {
  const [isAsked, setAsked] = useState(false);
  if (isAsked) return <VersionList {...properties} />;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      w="fit-content"
      leftSection={<IconVersions size={16} />}
      onClick={() => setAsked(true)}
    >
      {t('Show versions')}
    </Button>
  );
}

function VersionList({ object, mayAll, onCompare }: Properties) {
  const client = useQueryClient();
  const info = useQuery(bucketInfoQuery(object));
  const isNever = info.data?.versioning === 'never';
  const query = useInfiniteQuery({ ...versionsQuery(object), enabled: info.isFetched && !isNever });
  const section = useRef<HTMLElement>(null);
  const [restoring, setRestoring] = useState<string>();
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? [];
  const times = distinctTimes(versions);
  const isDeleted = versions[0]?.is_delete_marker === true;

  async function refresh(): Promise<void> {
    await refreshListing(client, object);
    for (const kind of PREVIEWS) void client.invalidateQueries({ queryKey: [kind, object] });
    // The button that was used may be gone.
    section.current?.focus();
  }
  async function restore({ version }: Version, time: string): Promise<void> {
    setRestoring(version);
    try {
      await restoreVersion(object, version);
      notifications.show({ message: t('The version of {time} is the newest again.', { time }) });
    } catch (thrown) {
      notifications.show({
        color: 'red',
        title: t('The version was not restored'),
        message: explainFailure(failureOf(thrown)),
      });
    }
    await refresh();
    setRestoring(undefined);
  }

  return (
    <section ref={section} tabIndex={-1} aria-label={t('Versions')} aria-busy={query.isFetching}>
      <Title order={2} size="h5" mb="xs">
        {t('Versions')}
      </Title>
      {isNever && <Text size="sm">{t('This bucket keeps no versions: what is overwritten or deleted is gone.')}</Text>}
      {info.data?.versioning === 'suspended' && (
        <Text size="sm" mb="xs">
          {t('This bucket keeps old versions, but no new ones.')}
        </Text>
      )}
      {query.isLoading && <Loader size="sm" role="status" aria-label={t('Loading versions')} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && versions.length === 0 && !query.hasNextPage && (
        <Text size="sm">{t('There are no versions of this file.')}</Text>
      )}
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {versions.map((version, index) => (
          <Item
            key={version.version}
            object={object}
            version={version}
            when={times[index]!}
            onRestore={
              mayAll(['objects:restore', 'objects:write']) ? () => void restore(version, times[index]!) : undefined
            }
            onCompare={
              !isDeleted && mayAll(['objects:get']) && isShortText(version)
                ? () => onCompare(version.version, times[index]!)
                : undefined
            }
            isRestoring={restoring === version.version}
            onPurge={mayAll(['objects:purge']) ? () => openPurge(object, version, refresh) : undefined}
            mayRead={mayAll(['objects:get'])}
          />
        ))}
      </Stack>
      <NextPageButton query={query} />
    </section>
  );
}

function Item({
  object,
  version,
  when,
  onRestore,
  onCompare,
  isRestoring,
  onPurge,
  mayRead,
}: {
  readonly object: ObjectRef;
  readonly version: Version;
  /** The time of the version, which no other version has. */
  readonly when: string;
  readonly onRestore: (() => void) | undefined;
  readonly onCompare: (() => void) | undefined;
  readonly isRestoring: boolean;
  readonly onPurge: (() => void) | undefined;
  readonly mayRead: boolean;
}) {
  const { version: id, last_modified: time, is_latest: isLatest, is_delete_marker: isDeleted } = version;
  const read = (download: boolean) => objectUrl(object, { version: id, download });
  return (
    <li style={{ contentVisibility: 'auto', containIntrinsicSize: 'auto 3rem' }}>
      <Group gap="xs">
        <Text size="sm" title={formatExactTime(time)}>
          {when}
        </Text>
        {!isDeleted && (
          <Text size="sm" c="dimmed">
            {formatBytes(version.size)}
          </Text>
        )}
        {isLatest && (
          <Badge size="sm" variant="light" tt="none">
            {t('Newest')}
          </Badge>
        )}
        {isDeleted && (
          <Badge size="sm" variant="light" color="red" tt="none">
            {t('Deleted')}
          </Badge>
        )}
      </Group>
      <Group gap={4} mt={2} ml={-8}>
        {!isDeleted && mayRead && (
          <>
            <Button
              {...SMALL}
              component="a"
              href={read(false)}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t('Open the version of {time}', { time: when })}
            >
              {t('Open')}
            </Button>
            <Button
              {...SMALL}
              component="a"
              href={read(true)}
              download={baseName(object.key)}
              aria-label={t('Download the version of {time}', { time: when })}
            >
              {t('Download')}
            </Button>
          </>
        )}
        {!isDeleted && !isLatest && onCompare !== undefined && (
          <Button
            {...SMALL}
            onClick={onCompare}
            aria-label={t('Compare the version of {time} with the current version', { time: when })}
          >
            {t('Compare')}
          </Button>
        )}
        {!isDeleted && !isLatest && onRestore !== undefined && (
          <Button
            {...SMALL}
            loading={isRestoring}
            onClick={onRestore}
            aria-label={t('Restore the version of {time}', { time: when })}
          >
            {t('Restore')}
          </Button>
        )}
        {onPurge !== undefined && (
          <Button
            {...SMALL}
            color="red"
            onClick={onPurge}
            aria-label={t('Delete this version for ever: {time}', { time: when })}
          >
            {t('Delete this version for ever')}
          </Button>
        )}
      </Group>
    </li>
  );
}

/** The time of each version to the second. Versions of the same second get a number, which is 1 for the oldest that is loaded. */
function distinctTimes(versions: readonly Version[]): readonly string[] {
  const times = versions.map(({ last_modified: time }) => formatSecond(time));
  const left = new Map<string, number>();
  for (const time of times) left.set(time, (left.get(time) ?? 0) + 1);
  const single = new Set([...left].filter(([, count]) => count === 1).map(([time]) => time));
  return times.map((time) => {
    if (single.has(time)) return time;
    const number = left.get(time)!;
    left.set(time, number - 1);
    return `${time} (${number})`;
  });
}

const SMALL = { size: 'compact-xs', variant: 'subtle' } as const;
