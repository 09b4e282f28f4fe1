import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconDots, IconEye, IconKey, IconLogout, IconUserOff, IconUsers } from '@tabler/icons-react';
import { Link } from 'react-router';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { rich } from '../words/rich.ts';
import { plural, t } from '../words/words.ts';
import { revokeSession, revokeSessionsOf, SESSIONS, sessionsPage } from './admin-queries.ts';
import { Loaded } from './loaded.tsx';
import { PagedList, usePersonFilter } from './paged-list.tsx';
import { usePaged } from './paged.ts';
import { groupsThatCount, useKnownGroups } from './person-fields.tsx';
import { Person } from './person.tsx';
import type { ActiveSession } from './records.ts';
import { openSuspend, SuspendedPeople } from './suspension.tsx';

const COLUMNS: readonly Column<ActiveSession>[] = [
  {
    name: t('Who'),
    cell: ({ name, subject, issuer, current }) => (
      <Person name={name} subject={subject} issuer={issuer} mark={current ? t('This one') : undefined} />
    ),
    sortBy: ({ name }) => name,
  },
  { name: t('From'), cell: (session) => <From {...session} />, sortBy: ({ address }) => address ?? '', short: true },
  {
    name: t('Last used'),
    cell: ({ last_used: at }) => formatDateTime(at),
    sortBy: ({ last_used: at }) => at,
    startsWith: 'descending',
  },
  {
    name: t('Since'),
    cell: ({ since }) => formatDateTime(since),
    sortBy: ({ since }) => since,
    startsWith: 'descending',
  },
  { name: t('Until'), cell: ({ expires }) => formatDateTime(expires), sortBy: ({ expires }) => expires },
];

/** Lists the sessions, and revokes one session or ends all sessions of a person. */
export function SessionsTab() {
  const client = useQueryClient();
  const knownGroups = useKnownGroups();
  const [person] = usePersonFilter();
  const { query, more } = usePaged(SESSIONS, person, sessionsPage);
  const tools: Column<ActiveSession> = {
    name: t('Actions'),
    silent: true,
    cell: (session) => <Tools session={session} knownGroups={knownGroups} client={client} />,
  };
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <PagedList
          shown={items.length}
          total={total}
          counted={(count) => plural(count, '{count} session', '{count} sessions')}
          more={more}
        >
          {items.length === 0 ? (
            <EmptyState icon={IconUsers} title={t('No sessions')}>
              {person === '' ? t('Nobody is signed in.') : t('Nobody with this name or subject is signed in.')}
            </EmptyState>
          ) : (
            <DataTable
              label={t('Sessions')}
              columns={[...COLUMNS, tools]}
              rows={items}
              keyOf={({ id }) => id}
              sortable={!more.hasMore}
            />
          )}
          <SuspendedPeople />
        </PagedList>
      )}
    </Loaded>
  );
}

function From({ address, kind }: ActiveSession) {
  return (
    <div>
      <Text size="sm">{address ?? t('not known')}</Text>
      <Text size="xs" c="dimmed">
        {kind === 'web' ? t('Browser') : t('Desktop or CLI')}
      </Text>
    </div>
  );
}

function asPerson(session: ActiveSession, knownGroups: readonly string[]): string {
  const { subject, issuer } = session;
  return new URLSearchParams([
    ['subject', subject],
    ['issuer', issuer],
    ...groupsThatCount(session, knownGroups).map((group) => ['group', group]),
  ]).toString();
}

function Tools({
  session,
  knownGroups,
  client,
}: {
  session: ActiveSession;
  knownGroups: readonly string[];
  client: QueryClient;
}) {
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('End the session of {name}', { name: visibleText(session.name) })}
        onClick={() => openRevoke(session, client)}
      >
        {t('End')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('More for {name}', { name: visibleText(session.name) })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            to={`/admin/view-as?${asPerson(session, knownGroups)}`}
            leftSection={<IconEye size={16} />}
          >
            {t('View as this person')}
          </Menu.Item>
          <Menu.Item
            component={Link}
            to={`/admin/keys?${new URLSearchParams({ person: session.subject }).toString()}`}
            leftSection={<IconKey size={16} />}
          >
            {t('API keys of this person')}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconLogout size={16} />}
            onClick={() => openRevokeAll(session, client)}
          >
            {t('End all sessions of this person')}
          </Menu.Item>
          {!session.current && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconUserOff size={16} />}
              onClick={() => openSuspend(session, client)}
            >
              {t('Suspend this person')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

const AGAIN = t('The person can sign in again. To prevent this, suspend the person.');

function openRevoke(session: ActiveSession, client: QueryClient): void {
  openDialog(t('End session'), (close) => (
    <DialogForm
      submitLabel={t('End session')}
      destructive
      close={close}
      submit={() => endedBy(() => revokeSession(session.id), client)}
    >
      <Text>
        {rich('The session of {person}, which started {time}, ends at once with its connections and transfers.', {
          person: (
            <strong>
              <Name>{session.name}</Name>
            </strong>
          ),
          time: formatDateTime(session.since),
        })}{' '}
        {session.current ? t('This is your current session, so you will be signed out.') : AGAIN}
      </Text>
    </DialogForm>
  ));
}

function openRevokeAll(session: ActiveSession, client: QueryClient): void {
  openDialog(t('End all sessions'), (close) => (
    <DialogForm
      submitLabel={t('End all sessions')}
      destructive
      close={close}
      submit={() => endedBy(() => revokeSessionsOf(session), client)}
    >
      <Text>
        {rich(
          'All sessions of {person} in browsers, desktop applications and the command line end at once with their connections and transfers.',
          {
            person: (
              <strong>
                <Name>{session.name}</Name>
              </strong>
            ),
          },
        )}{' '}
        {AGAIN}
      </Text>
      <Text>{t('The keys of this person stay valid. You can revoke them on the tabs for keys.')}</Text>
      {session.current && <Text fw={600}>{t('You are this person, so you will be signed out.')}</Text>}
    </DialogForm>
  ));
}

async function endedBy(end: () => Promise<void>, client: QueryClient): Promise<void> {
  await end();
  await client.invalidateQueries({ queryKey: SESSIONS });
}
