import { ActionIcon, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconDots, IconRefresh, IconShieldCog, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { keyColumns } from '../admin/key-columns.tsx';
import { isExpired, ownKeysQuery, type IssuedKey, type Key, type KeyKind } from '../admin/key-kinds.ts';
import { Loaded } from '../admin/loaded.tsx';
import { openRevoke } from '../admin/open-revoke.tsx';
import { useAccount } from '../session/use-session.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import { openReplaceScope, openRotate } from './key-dialogs.tsx';

type OfKind = {
  readonly kind: KeyKind;
  /** Shows the new secret of a key. */
  readonly show: (issued: IssuedKey) => void;
};

/** The keys of the user. An administrator sees everybody's. @param children - what stands in their place if there are none. */
export function OwnKeys({ kind, show, label, children }: OfKind & { label: string; children: ReactNode }) {
  const query = useQuery(ownKeysQuery(kind));
  const me = useAccount();
  const isMine = ({ creator }: Key) => creator.issuer === me.issuer && creator.subject === me.subject;
  const menu: Column<Key> = {
    name: t('Actions'),
    silent: true,
    cell: (key) => <KeyMenu apiKey={key} isMine={isMine(key)} kind={kind} show={show} />,
  };
  const columns = keyColumns((key) => (isMine(key) ? undefined : t('of {person}', { person: key.creator.name })));
  return (
    <Loaded query={query}>
      {(keys) =>
        keys.length === 0 ? (
          children
        ) : (
          <DataTable label={label} columns={[...columns, menu]} rows={keys} keyOf={({ id }) => id} />
        )
      }
    </Loaded>
  );
}

function KeyMenu({ apiKey, isMine, kind, show }: OfKind & { apiKey: Key; isMine: boolean }) {
  const client = useQueryClient();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Actions for {description}', { description: visibleText(apiKey.description) })}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isMine && !isExpired(apiKey) && (
          <>
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => openRotate(apiKey, kind, show, client)}>
              {t('Rotate')}
            </Menu.Item>
            <Menu.Item leftSection={<IconShieldCog size={16} />} onClick={() => openReplaceScope(apiKey, kind, client)}>
              {t('Replace scope')}
            </Menu.Item>
          </>
        )}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          onClick={() => openRevoke(apiKey, kind, client)}
        >
          {t('Revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
