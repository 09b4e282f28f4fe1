import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconUsersGroup } from '@tabler/icons-react';
import { EmptyState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { rolesQuery } from './admin-queries.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { Loaded } from './loaded.tsx';
import { Names } from './names.tsx';
import { policyLink } from './rule-filter.ts';
import type { Role } from './records.ts';

const COLUMNS: readonly Column<Role>[] = [
  {
    name: t('Role'),
    cell: ({ name }) => (
      <Text fw={600} size="sm">
        {name}
      </Text>
    ),
  },
  { name: t('Policies'), cell: ({ policies }) => <Names names={policies} none={t('no policy')} linkOf={policyLink} /> },
];

/** The roles and the policies that each of them contains. */
export function RolesTab() {
  const query = useQuery(rolesQuery);
  return (
    <Loaded query={query}>
      {(roles) =>
        roles.length === 0 ? (
          <EmptyState icon={IconUsersGroup} title={t('No roles')}>
            {t('The configuration defines no roles. Bindings name policies directly.')}
          </EmptyState>
        ) : (
          <DataTable label={t('Roles')} columns={COLUMNS} rows={roles} keyOf={({ name }) => name} />
        )
      }
    </Loaded>
  );
}
