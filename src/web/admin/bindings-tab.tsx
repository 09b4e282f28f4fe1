import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLink } from '@tabler/icons-react';
import { EmptyState } from '../shell/states.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { bindingsQuery } from './admin-queries.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { Loaded } from './loaded.tsx';
import { RoleName } from './name-link.tsx';
import { Names } from './names.tsx';
import type { Binding } from './records.ts';
import { policyLink } from './rule-filter.ts';

/** A binding and its number in the configuration, counted from 1. */
type Numbered = { readonly binding: Binding; readonly number: number };

const COLUMNS: readonly Column<Numbered>[] = [
  { name: t('Binding'), cell: ({ number }) => <Text size="sm">{t('Binding {number}', { number })}</Text> },
  { name: t('Who'), cell: ({ binding }) => <Who binding={binding} /> },
  {
    name: t('Gets'),
    cell: ({ binding: { role, policies } }) =>
      role === undefined ? <Policies names={policies ?? []} /> : <Role name={role} />,
  },
];

/** The bindings of groups and subjects to a role or to policies. */
export function BindingsTab() {
  const query = useQuery(bindingsQuery);
  return (
    <Loaded query={query}>
      {(bindings) =>
        bindings.length === 0 ? (
          <EmptyState icon={IconLink} title={t('No bindings')}>
            {t('People who sign in see nothing.')}
          </EmptyState>
        ) : (
          <DataTable
            label={t('Bindings')}
            columns={COLUMNS}
            rows={bindings.map((binding, index) => ({ binding, number: index + 1 }))}
            keyOf={({ number }) => String(number)}
          />
        )
      }
    </Loaded>
  );
}

function Who({ binding: { groups, subjects } }: { binding: Binding }) {
  return (
    <Stack gap={6}>
      {groups !== undefined && (
        <Group gap="xs">
          <Text size="sm">{groups.length === 1 ? t('Group') : t('Any of the groups')}</Text>
          <Names names={groups} none={t('no group')} />
        </Group>
      )}
      {subjects?.map(({ issuer, subject }) => (
        <div key={`${issuer} ${subject}`}>
          <Text size="sm" fw={500}>
            {subject}
          </Text>
          <Text size="xs" c="dimmed">
            {t('of {issuer}', { issuer })}
          </Text>
        </div>
      ))}
    </Stack>
  );
}

function Role({ name }: { name: string }) {
  return <Text size="sm">{rich('the role {name}', { name: <RoleName name={name} /> })}</Text>;
}

function Policies({ names }: { names: readonly string[] }) {
  return (
    <Group gap="xs">
      <Text size="sm">{names.length === 1 ? t('the policy') : t('the policies')}</Text>
      <Names names={names} none={t('none')} linkOf={policyLink} />
    </Group>
  );
}
