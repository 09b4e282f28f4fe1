import { ActionIcon, Badge, Button, Code, Menu, Text } from '@mantine/core';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconDots, IconKey, IconPlus, IconRefresh, IconShieldCog, IconTrash } from '@tabler/icons-react';
import { DataTable, type Column } from '../table/data-table.tsx';
import { Loaded } from '../admin/loaded.tsx';
import { ScopeCell } from '../admin/scope-cell.tsx';
import { formatDateTime } from '../format/format.ts';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { EmptyState } from '../shell/states.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import type { ApiKey } from './api-key.ts';
import { keysQuery } from './key-calls.ts';
import { openCreateKey, openReplaceScope, openRevoke, openRotate } from './key-dialogs.tsx';

const LEAD = t(
  'Credentials for scripts. A key can do what its scope allows, and never more than you could when you created it. When your groups change, revoke it and create a new one.',
);

/** The page with the user's API keys. Its code is loaded when the page is first opened. */
export function KeysPage() {
  const { hasApiKeys, isAdmin } = useAccount();
  if (!hasApiKeys)
    return (
      <Page title={t('API keys')}>
        <EmptyState icon={IconKey} title={t('API keys are disabled')}>
          {isAdmin
            ? rich('To enable them, set {setting} in the configuration.', { setting: <Code>auth.api_keys</Code> })
            : t('Ask an administrator if you need one.')}
        </EmptyState>
      </Page>
    );
  return <Keys />;
}

function Keys() {
  const client = useQueryClient();
  const query = useQuery(keysQuery);
  const account = useAccount();
  const create = (
    <Button leftSection={<IconPlus size={18} />} onClick={() => openCreateKey(client)}>
      {t('Create API key')}
    </Button>
  );
  return (
    <Page title={t('API keys')} lead={LEAD} actions={create}>
      <Loaded query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <EmptyState icon={IconKey} title={t('No API keys yet')}>
              {t('Create one for a script or a job, with no more rights than it needs.')}
            </EmptyState>
          ) : (
            <DataTable label={t('API keys')} columns={columnsFor(client, account)} rows={keys} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Page>
  );
}

function columnsFor(
  client: QueryClient,
  me: { readonly issuer: string; readonly subject: string },
): readonly Column<ApiKey>[] {
  const isMine = ({ creator }: ApiKey) => creator.issuer === me.issuer && creator.subject === me.subject;
  return [
    {
      name: t('Key'),
      cell: (key) => (
        <div>
          <Text size="sm" fw={600}>
            {key.description}{' '}
            {isExpired(key) && (
              <Badge color="red" variant="light" radius="sm" tt="none">
                {t('expired')}
              </Badge>
            )}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {key.id}
          </Text>
          {!isMine(key) && (
            <Text size="xs" c="dimmed">
              {t('of {person}', { person: key.creator.name })}
            </Text>
          )}
        </div>
      ),
    },
    { name: t('Scope'), cell: ({ scope }) => <ScopeCell scope={scope} /> },
    { name: t('Last used'), cell: ({ lastUsedAt }) => <Time iso={lastUsedAt} none={t('never')} /> },
    { name: t('Expires'), cell: ({ expiresAt }) => <Time iso={expiresAt} none={t('never')} /> },
    { name: t('Actions'), silent: true, cell: (key) => <KeyMenu apiKey={key} isMine={isMine(key)} client={client} /> },
  ];
}

function Time({ iso, none }: { iso: string | null; none: string }) {
  return <span className="tabular">{iso === null ? none : formatDateTime(iso)}</span>;
}

function KeyMenu({ apiKey, isMine, client }: { apiKey: ApiKey; isMine: boolean; client: QueryClient }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Actions for {description}', { description: apiKey.description })}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isMine && !isExpired(apiKey) && (
          <>
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => openRotate(apiKey, client)}>
              {t('Rotate')}
            </Menu.Item>
            <Menu.Item leftSection={<IconShieldCog size={16} />} onClick={() => openReplaceScope(apiKey, client)}>
              {t('Replace scope')}
            </Menu.Item>
          </>
        )}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          onClick={() => openRevoke(apiKey, client)}
        >
          {t('Revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function isExpired({ expiresAt }: ApiKey): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}
