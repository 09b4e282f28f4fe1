import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { ObjectRef } from '../api/object-calls.ts';
import { answered, service } from '../api/client.ts';
import { formatExactTime, formatSecond } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { ErrorState } from '../shell/states.tsx';
import { NextPageButton } from '../parts/next-page-button.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { operationText } from './operation.ts';
import { OutcomeBadge } from './outcome.tsx';
import { reasonText } from './reason.ts';

function activityQuery({ provider, bucket, key }: ObjectRef) {
  return infiniteQueryOptions({
    queryKey: ['activity', provider, bucket, key],
    queryFn: ({ pageParam, signal }) =>
      answered(
        service.GET('/api/providers/{provider}/buckets/{bucket}/object/activity', {
          params: {
            path: { provider, bucket },
            query: { key, limit: 20, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next,
    retry: false,
  });
}

const WHO_SEES = {
  all: t('Everybody who may open this file sees this list.'),
  changes: t('People see what others changed. Who only read this file, administrators see.'),
  off: t('People see only what they did themselves. Administrators see everything.'),
};

/** The audit lines about an object. It loads them only on request, because each query is itself recorded in the audit. */
export function Activity({ object }: { readonly object: ObjectRef }) {
  const [isAsked, setAsked] = useState(false);
  if (isAsked) return <Lines object={object} />;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      justify="flex-start"
      leftSection={<IconHistory size={16} />}
      onClick={() => setAsked(true)}
    >
      {t('Show activity')}
    </Button>
  );
}

function Lines({ object }: { readonly object: ObjectRef }) {
  const query = useInfiniteQuery(activityQuery(object));
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const lines = query.data?.pages.flatMap((page) => page.lines) ?? [];
  const othersSee = query.data?.pages[0]?.others_see;
  return (
    <section aria-label={t('Activity')} aria-busy={query.isPending}>
      <Title order={2} size="h5" mb="xs">
        {t('Activity')}
      </Title>
      {othersSee !== undefined && (
        <Text size="xs" c="dimmed" mb="xs">
          {WHO_SEES[othersSee]}
        </Text>
      )}
      {query.data !== undefined && !query.hasNextPage && lines.length === 0 && (
        <Text size="sm">{t('The audit has no lines about this file.')}</Text>
      )}
      <Stack gap="xs">
        {lines.map(({ time, operation, move, outcome, why, version, subject, name }, i) => (
          <div key={`${time} ${i}`}>
            <Group gap="xs">
              <Text size="sm">{move === undefined ? operationText(operation) : move ? t('Move') : t('Copy')}</Text>
              {/* For example the upload of a file that is there already. Nothing went wrong. */}
              <OutcomeBadge outcome={why === 'precondition_failed' ? 'untouched' : outcome} />
            </Group>
            {why !== undefined && <Text size="xs">{reasonText(why)}</Text>}
            {version !== undefined && (
              <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
                {rich('Version: {version}', { version: <Name>{version}</Name> })}
              </Text>
            )}
            <Text size="xs" c="dimmed">
              <Name>{name === '' ? subject : name}</Name> ·{' '}
              <span title={formatExactTime(time)}>{formatSecond(time)}</span>
            </Text>
          </div>
        ))}
      </Stack>
      <NextPageButton query={query} />
    </section>
  );
}
