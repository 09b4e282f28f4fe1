import { ActionIcon, Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconDots, IconKey, IconKeyOff } from '@tabler/icons-react';
import type { ApiKeyWire } from '../../wire/api-key.ts';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { rich } from '../words/rich.ts';
import { plural, t } from '../words/words.ts';
import { KEYS, keysPage, revokeKey, revokeKeysOf } from './admin-queries.ts';
import { Loaded } from './loaded.tsx';
import { PagedList, usePersonFilter } from './paged-list.tsx';
import { usePaged } from './paged.ts';
import { Person } from './person.tsx';
import { ScopeCell } from './scope-cell.tsx';

const COLUMNS: readonly Column<ApiKeyWire>[] = [
  { name: t('Person'), cell: ({ creator }) => <Person {...creator} />, sortBy: ({ creator }) => creator.name },
  { name: t('Key'), cell: (key) => <Key apiKey={key} />, sortBy: ({ description }) => description },
  { name: t('Scope'), cell: ({ scope }) => <ScopeCell scope={scope} /> },
  {
    name: t('Created'),
    cell: ({ createdAt }) => formatDateTime(createdAt),
    sortBy: ({ createdAt }) => createdAt,
    startsWith: 'descending',
  },
  {
    name: t('Last used'),
    cell: ({ lastUsedAt }) => timeOr(lastUsedAt),
    sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
    startsWith: 'descending',
  },
  { name: t('Expires'), cell: ({ expiresAt }) => timeOr(expiresAt), sortBy: ({ expiresAt }) => expiresAt ?? '~' },
];

/** Lists everybody's API keys, and revokes one key or all keys of a person. */
export function KeysTab() {
  const client = useQueryClient();
  const [person] = usePersonFilter();
  const { query, more } = usePaged(KEYS, person, keysPage);
  const tools: Column<ApiKeyWire> = {
    name: t('Actions'),
    silent: true,
    cell: (key) => <Tools apiKey={key} client={client} />,
  };
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <PagedList
          shown={items.length}
          total={total}
          counted={(count) => plural(count, '{count} API key', '{count} API keys')}
          more={more}
        >
          {items.length === 0 ? (
            <EmptyState icon={IconKey} title={t('No API keys')}>
              {person === '' ? t('Nobody has created an API key.') : t('Nobody with this name or subject has one.')}
            </EmptyState>
          ) : (
            <DataTable
              label={t("Everybody's API keys")}
              columns={[...COLUMNS, tools]}
              rows={items}
              keyOf={({ id }) => id}
              sortable={!more.hasMore}
            />
          )}
        </PagedList>
      )}
    </Loaded>
  );
}

function timeOr(iso: string | null): string {
  return iso === null ? t('never') : formatDateTime(iso);
}

function Key({ apiKey }: { apiKey: ApiKeyWire }) {
  return (
    <div>
      <Text size="sm">
        <Name>{apiKey.description}</Name>{' '}
        {isExpired(apiKey) && (
          <Badge color="red" variant="light" radius="sm" tt="none">
            {t('expired')}
          </Badge>
        )}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {apiKey.id}
      </Text>
    </div>
  );
}

function isExpired({ expiresAt }: ApiKeyWire): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

function Tools({ apiKey, client }: { apiKey: ApiKeyWire; client: QueryClient }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('Revoke {description}', { description: apiKey.description })}
        onClick={() => openRevoke(apiKey, client)}
      >
        {t('Revoke')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('More for {description}', { description: apiKey.description })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconKeyOff size={16} />}
            onClick={() => openRevokeAll(apiKey, client)}
          >
            {t('Revoke all keys of this person')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function openRevoke({ id, description, creator }: ApiKeyWire, client: QueryClient): void {
  openDialog(t('Revoke API key'), (close) => (
    <DialogForm
      submitLabel={t('Revoke')}
      destructive
      close={close}
      submit={() => revokedBy(() => revokeKey(id), client)}
    >
      <Text>
        {rich(
          'The key {key} of {person} stops working at once. Everything that uses it fails. This cannot be undone.',
          {
            key: (
              <strong>
                <Name>{description}</Name>
              </strong>
            ),
            person: <Name>{creator.name}</Name>,
          },
        )}
      </Text>
    </DialogForm>
  ));
}

function openRevokeAll({ creator }: ApiKeyWire, client: QueryClient): void {
  openDialog(t('Revoke all API keys'), (close) => (
    <DialogForm
      submitLabel={t('Revoke all')}
      destructive
      close={close}
      submit={() => revokedBy(() => revokeKeysOf(creator), client)}
    >
      <Stack gap="xs">
        <Text>
          {rich(
            'Every API key of {person} stops working at once. Everything that uses them fails. This cannot be undone.',
            {
              person: (
                <strong>
                  <Name>{creator.name}</Name>
                </strong>
              ),
            },
          )}
        </Text>
        <Text>{t('The sessions of this person stay active. You can end them under Sessions.')}</Text>
      </Stack>
    </DialogForm>
  ));
}

async function revokedBy(revoke: () => Promise<void>, client: QueryClient): Promise<void> {
  await revoke();
  await client.invalidateQueries({ queryKey: KEYS });
}
