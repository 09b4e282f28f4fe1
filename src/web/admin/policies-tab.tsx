import { Badge, Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFilterOff } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { EmptyState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import { bindingsQuery, policiesQuery, rolesQuery } from './admin-queries.ts';
import { EffectBadge } from './effect-badge.tsx';
import { holdersOf } from './holders.ts';
import { Loaded } from './loaded.tsx';
import classes from './policies-tab.module.css';
import { RuleSentence, WhoHolds } from './policy-sentence.tsx';
import type { Policy } from './records.ts';
import { filterRules, namesIn, type PlacedRule, type RuleFilter } from './rule-filter.ts';

const SOURCES: Readonly<Record<Policy['source'], string>> = {
  'built-in': t('built in'),
  config: t('configuration'),
  iam: t('IAM document'),
};

/** The normalized rules of all policies, on which decisions are based: each policy is a card, with what its rules mean. The filters are in the URL. */
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
              policies.map((policy) => <PolicyCard key={policy.name} policy={policy} rules={found} />)
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function PolicyCard({ policy, rules }: { policy: Policy; rules: readonly PlacedRule[] }) {
  const { data: bindings } = useQuery(bindingsQuery);
  const { data: roles } = useQuery(rolesQuery);
  const shown = rules.filter((rule) => rule.policy === policy);
  if (shown.length === 0) return null;
  const who =
    bindings === undefined || roles === undefined ? (
      t('Whoever gets this policy')
    ) : (
      <WhoHolds {...holdersOf(policy.name, bindings, roles)} />
    );
  return (
    <Paper withBorder p="md" component="section" aria-label={t('Policy {name}', { name: policy.name })}>
      <Group gap="xs" mb="sm">
        <Title order={2} size="h5">
          {policy.name}
        </Title>
        <Badge variant="default" radius="sm" tt="none" fw={500}>
          {SOURCES[policy.source]}
        </Badge>
      </Group>
      <Stack gap="sm" component="ol" m={0} p={0} className={classes.rules}>
        {shown.map(({ rule, number }) => (
          <li key={number}>
            <Text size="sm">
              <RuleSentence rule={rule} who={who} />
            </Text>
            <Group gap="xs" mt={4} wrap="nowrap" align="baseline">
              <EffectBadge effect={rule.effect} />
              <Text size="xs" c="dimmed">
                {t('rule {number}', { number })} · {rule.actions.join(', ')}
              </Text>
            </Group>
          </li>
        ))}
      </Stack>
    </Paper>
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
