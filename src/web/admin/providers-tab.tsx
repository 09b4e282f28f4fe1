import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { ProviderHealth } from '../../wire/http.ts';
import { formatDateTime } from '../format/format.ts';
import { providerLink } from '../place/place.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { healthQuery } from './admin-queries.ts';
import { CheckAgain } from './check-again.tsx';
import { Loaded } from './loaded.tsx';
import classes from './providers-tab.module.css';

const COLUMNS: readonly Column<ProviderHealth>[] = [
  {
    name: t('Provider'),
    cell: ({ name }) => (
      <Anchor component={Link} to={providerLink(name)} size="sm">
        {name}
      </Anchor>
    ),
    sortBy: ({ name }) => name,
  },
  { name: t('State'), cell: (health) => <State health={health} />, sortBy: (health) => stateOf(health) },
  {
    name: t('Duration'),
    cell: ({ took_ms: ms }) => t('{ms} ms', { ms }),
    sortBy: ({ took_ms: ms }) => ms,
    startsWith: 'descending',
    short: true,
  },
  { name: t('Checked'), cell: ({ checked_at: at }) => formatDateTime(at), short: true },
];

/** The health of the storage providers, and the reason if a provider is not healthy. */
export function ProvidersTab() {
  const query = useQuery(healthQuery);
  return (
    <Stack gap="md">
      <CheckAgain query={query}>
        {t('Each provider is checked with a request that changes nothing. Results are reused for five seconds.')}
      </CheckAgain>
      <Loaded query={query}>
        {(providers) => (
          <DataTable label={t('Health of providers')} columns={COLUMNS} rows={providers} keyOf={({ name }) => name} />
        )}
      </Loaded>
    </Stack>
  );
}

const STATES = { fine: t('Reachable'), faulty: t('Reachable, with a fault'), down: t('Not reachable') } as const;

function stateOf({ reachable, reason }: ProviderHealth): keyof typeof STATES {
  if (!reachable) return 'down';
  return reason === null ? 'fine' : 'faulty';
}

function State({ health }: { health: ProviderHealth }) {
  const state = stateOf(health);
  return (
    <Group gap="xs" wrap="nowrap" align="baseline">
      <span className={classes.dot} data-state={state} aria-hidden />
      <Text size="sm">
        <strong>{STATES[state]}</strong>
        {health.reason !== null && `: ${health.reason.replaceAll('`', '')}`}
      </Text>
    </Group>
  );
}
