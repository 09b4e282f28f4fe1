import { Group, List, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../format/byte-size.ts';
import type { AuditSink } from '../../wire/http.ts';
import { operationText } from '../activity/operation.ts';
import { isOutcome, outcomeText } from '../activity/outcome.tsx';
import { formatDateTime, formatDuration, formatSecond } from '../format/format.ts';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { plural, t } from '../words/words.ts';
import { sinkFailureText } from './sink-failure.ts';
import { sinksQuery } from './admin-queries.ts';
import { CheckAgain } from './check-again.tsx';
import { Loaded } from './loaded.tsx';
import classes from './providers-tab.module.css';

const COLUMNS: readonly Column<AuditSink>[] = [
  {
    name: t('Sink'),
    cell: ({ name, type, host }) => (
      <>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">{`${type} ${host}`}</Text>
      </>
    ),
    sortBy: ({ name }) => name,
  },
  { name: t('Receives'), cell: receives },
  { name: t('State'), cell: (sink) => <State sink={sink} />, sortBy: stateOf },
  { name: t('Waiting'), cell: waiting, sortBy: ({ unsent_bytes: bytes }) => bytes, startsWith: 'descending' },
  { name: t('Last success'), cell: ({ last_sent_at: at }) => (at === null ? t('None yet') : formatDateTime(at)) },
];

/** The receivers of the audit: what waits for each, when it last took lines, and why it did not. */
export function SinksTab() {
  const query = useQuery(sinksQuery);
  return (
    <Loaded query={query}>
      {({ instance, sinks }) =>
        sinks.length === 0 ? (
          <EmptyState icon={IconSend} title={t('No sinks')}>
            {t(
              'The configuration names no place to which the audit is sent. Whoever runs the service adds one under “audit.sinks”.',
            )}
          </EmptyState>
        ) : (
          <Stack gap="md">
            <CheckAgain query={query}>
              {t(
                'As the process “{name}” knows it, since it started. Other processes of the service send their own lines.',
                { name: instance },
              )}
            </CheckAgain>
            <DataTable
              label={t('Audit sinks')}
              columns={COLUMNS}
              rows={sinks}
              keyOf={({ name }) => name}
              below={({ name, failures }) => failures.length > 0 && <Failures sink={name} failures={failures} />}
            />
          </Stack>
        )
      }
    </Loaded>
  );
}

function receives({ operations, outcomes, places }: AuditSink): string {
  const parts = [
    ...(operations ?? []).map(operationText),
    ...(outcomes ?? []).map((outcome) => (isOutcome(outcome) ? outcomeText(outcome) : outcome)),
    ...(places ?? []).map((place) => t('beneath {place}', { place })),
  ];
  return parts.length === 0 ? t('Every line') : parts.join(', ');
}

const STATES = { fine: t('Takes lines'), unknown: t('Nothing sent yet'), down: t('Takes no lines') } as const;

function stateOf({ failing, last_sent_at: sentAt }: AuditSink): keyof typeof STATES {
  if (failing) return 'down';
  return sentAt === null ? 'unknown' : 'fine';
}

function State({ sink }: { readonly sink: AuditSink }) {
  const state = stateOf(sink);
  const { skipped_lines: skipped } = sink;
  return (
    <>
      <Group gap="xs" wrap="nowrap" align="baseline">
        <span className={classes.dot} data-state={state} aria-hidden />
        <Text size="sm" fw={600}>
          {STATES[state]}
        </Text>
      </Group>
      {skipped > 0 && (
        <Text size="sm">{plural(skipped, '{count} line will never arrive', '{count} lines will never arrive')}</Text>
      )}
    </>
  );
}

function waiting({ unsent_bytes: bytes, lag_seconds: seconds }: AuditSink): string {
  if (bytes === 0) return t('Nothing');
  return t('{size}, the oldest for {duration}', {
    size: formatBytes(bytes),
    duration: formatDuration(seconds, 'long'),
  });
}

function Failures({ sink, failures }: { readonly sink: string; readonly failures: AuditSink['failures'] }) {
  return (
    <>
      <Text size="sm" fw={600} id={`failures-${sink}`}>
        {t('Latest failures of {name}', { name: sink })}
      </Text>
      <List size="sm" aria-labelledby={`failures-${sink}`}>
        {failures.map(({ at, why }, i) => (
          <List.Item key={i}>
            {`${formatSecond(at)}: ${sinkFailureText(why)} `}
            <Text span size="xs" c="dimmed" lang="en">
              {why}
            </Text>
          </List.Item>
        ))}
      </List>
    </>
  );
}
