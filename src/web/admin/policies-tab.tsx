import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFilterOff } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { EmptyState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import { policiesQuery } from './admin-queries.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { EffectBadge } from './effect-badge.tsx';
import { Loaded } from './loaded.tsx';
import { Names } from './names.tsx';
import type { Policy } from './records.ts';
import { filterRules, namesIn, type PlacedRule, type RuleFilter } from './rule-filter.ts';
import { RuleName } from './rule-name.tsx';
import { SelectorText } from './selector-text.tsx';

const SOURCES: Readonly<Record<Policy['source'], string>> = {
  'built-in': t('built in'),
  config: t('configuration'),
  iam: t('IAM document'),
};

const COLUMNS: readonly Column<PlacedRule>[] = [
  {
    name: t('Policy'),
    cell: ({ policy, number }) => <RuleName policy={policy.name} number={number} source={SOURCES[policy.source]} />,
  },
  { name: t('Effect'), cell: ({ rule }) => <EffectBadge effect={rule.effect} /> },
  { name: t('Actions'), cell: ({ rule }) => <Names names={rule.actions} none={t('none')} /> },
  {
    name: t('On'),
    cell: ({ rule }) => (
      <Stack gap={4}>
        {rule.resources.map((selector) => (
          <SelectorText key={JSON.stringify(selector)} selector={selector} />
        ))}
      </Stack>
    ),
  },
];

/** The normalized rules of all policies, on which decisions are based, with filters. The filters are in the URL. */
export function PoliciesTab() {
  const query = useQuery(policiesQuery);
  const [search, setSearch] = useSearchParams();
  const filter: RuleFilter = {
    policy: search.get('policy') ?? '',
    effect: search.get('effect') ?? '',
    action: search.get('action') ?? '',
    provider: search.get('provider') ?? '',
    bucket: search.get('bucket') ?? '',
  };

  function choose(name: keyof RuleFilter, value: string | null): void {
    const next = new URLSearchParams(search);
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  }

  return (
    <Loaded query={query}>
      {(policies) => {
        const names = namesIn(policies);
        const found = filterRules(policies, filter);
        return (
          <Stack gap="md">
            <Group gap="sm" align="flex-end">
              <Choice
                label={t('Policy')}
                names={policies.map(({ name }) => name)}
                value={filter.policy}
                onChange={(value) => choose('policy', value)}
              />
              <Choice
                label={t('Effect')}
                names={['allow', 'deny']}
                value={filter.effect}
                onChange={(value) => choose('effect', value)}
              />
              <Choice
                label={t('Action')}
                names={names.actions}
                value={filter.action}
                onChange={(value) => choose('action', value)}
              />
              <Choice
                label={t('Provider')}
                names={names.providers}
                value={filter.provider}
                onChange={(value) => choose('provider', value)}
              />
              <Choice
                label={t('Bucket')}
                names={names.buckets}
                value={filter.bucket}
                onChange={(value) => choose('bucket', value)}
              />
            </Group>
            <Text size="sm" c="dimmed" role="status">
              {t('{rules} of {policies}.', {
                rules: plural(found.length, '{count} rule', '{count} rules'),
                policies: plural(policies.length, '{count} policy', '{count} policies'),
              })}{' '}
              {t('A deny in any policy of a caller overrides every allow.')}
            </Text>
            {found.length === 0 ? (
              <EmptyState
                icon={IconFilterOff}
                title={t('No rule matches')}
                action={
                  <Button variant="default" onClick={() => setSearch({}, { replace: true })}>
                    {t('Clear the filter')}
                  </Button>
                }
              >
                {t('What no rule allows is denied.')}
              </EmptyState>
            ) : (
              <DataTable
                label={t('Rules')}
                columns={COLUMNS}
                rows={found}
                keyOf={({ policy, number }) => `${policy.name} ${number}`}
              />
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Choice({
  label,
  names,
  value,
  onChange,
}: {
  label: string;
  names: readonly string[];
  value: string;
  onChange: (value: string | null) => void;
}) {
  return (
    <Select
      label={label}
      placeholder={t('any')}
      data={[...names]}
      value={value === '' ? null : value}
      onChange={onChange}
      clearable
      searchable
      w={{ base: 'calc(50% - 6px)', sm: 180 }}
      clearButtonProps={{ 'aria-label': t('Clear {field}', { field: label }) }}
    />
  );
}
