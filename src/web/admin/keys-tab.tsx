import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconDots, IconKey, IconKeyOff, IconUserOff } from '@tabler/icons-react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { keyColumns } from './key-columns.tsx';
import type { Key, KeyKind } from './key-kinds.ts';
import { Loaded } from './loaded.tsx';
import { openRevoke } from './open-revoke.tsx';
import { PagedList, usePersonFilter } from './paged-list.tsx';
import { usePaged } from './paged.ts';
import { Person } from './person.tsx';
import { openSuspend } from './suspension.tsx';

const PERSON: Column<Key> = {
  name: t('Person'),
  cell: ({ creator }) => <Person {...creator} />,
  sortBy: ({ creator }) => creator.name,
};

/** Lists everybody's keys of a kind, and revokes one key or all keys of a person. */
export function KeysTab({ kind }: { kind: KeyKind }) {
  const client = useQueryClient();
  const [person] = usePersonFilter();
  const { query, more } = usePaged([...kind.queryKey, 'all'], person, kind.listAll);
  const tools: Column<Key> = {
    name: t('Actions'),
    silent: true,
    cell: (key) => <Tools apiKey={key} kind={kind} client={client} />,
  };
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <PagedList shown={items.length} total={total} counted={kind.words.counted} more={more}>
          {items.length === 0 ? (
            <EmptyState icon={IconKey} title={kind.words.none}>
              {person === '' ? kind.words.nobody : t('Nobody with this name or subject has one.')}
            </EmptyState>
          ) : (
            <DataTable
              label={kind.words.everybodys}
              columns={[PERSON, ...keyColumns(), tools]}
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

type OfKey = { readonly apiKey: Key; readonly kind: KeyKind; readonly client: QueryClient };

function Tools({ apiKey, kind, client }: OfKey) {
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('Revoke {description}', { description: visibleText(apiKey.description) })}
        onClick={() => openRevoke(apiKey, kind, client)}
      >
        {t('Revoke')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('More for {description}', { description: visibleText(apiKey.description) })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconKeyOff size={16} />}
            onClick={() => openRevokeAll(apiKey, kind, client)}
          >
            {t('Revoke all keys of this person')}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconUserOff size={16} />}
            onClick={() => openSuspend(apiKey.creator, client)}
          >
            {t('Suspend this person')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function openRevokeAll({ creator }: Key, kind: KeyKind, client: QueryClient): void {
  openDialog(kind.words.revokeAll, (close) => (
    <DialogForm
      submitLabel={t('Revoke all')}
      destructive
      close={close}
      submit={async () => {
        await kind.revokeAll(creator);
        await client.invalidateQueries({ queryKey: kind.queryKey });
      }}
    >
      <Stack gap="xs">
        <Text>
          {kind.words.everyKeyOf(
            <strong>
              <Name>{creator.name}</Name>
            </strong>,
          )}
        </Text>
        <Text>{t('The sessions of this person stay active. You can end them under Sessions.')}</Text>
      </Stack>
    </DialogForm>
  ));
}
