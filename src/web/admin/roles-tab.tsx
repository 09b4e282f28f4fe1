import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconUsersGroup } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
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

/** The roles and the policies that each of them contains: all of them, or the one in the URL. */
export function RolesTab() {
  const query = useQuery(rolesQuery);
  const [search] = useSearchParams();
  return (
    <Loaded query={query}>
      {(roles) =>
        roles.length === 0 ? (
          <EmptyState icon={IconUsersGroup} title={t('No roles')}>
            {t('The configuration defines no roles. Bindings name policies directly.')}
          </EmptyState>
        ) : (
          <Stack gap="md">
            {search.has('role') && (
              <Anchor component={Link} size="sm" to="/admin/roles">
                {t('Show all roles')}
              </Anchor>
            )}
            <DataTable
              label={t('Roles')}
              columns={COLUMNS}
              rows={roles.filter(({ name }) => name === (search.get('role') ?? name))}
              keyOf={({ name }) => name}
            />
          </Stack>
        )
      }
    </Loaded>
  );
}
