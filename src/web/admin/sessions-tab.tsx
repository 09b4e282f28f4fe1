import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconDots, IconEye, IconKey, IconLogout, IconUsers } from '@tabler/icons-react';
import { Link } from 'react-router';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { revokeSession, revokeSessionsOf, SESSIONS, sessionsPage } from './admin-queries.ts';
import { Loaded } from './loaded.tsx';
import { PagedList, usePersonFilter } from './paged-list.tsx';
import { usePaged } from './paged.ts';
import { groupsThatCount, useKnownGroups } from './person-fields.tsx';
import { Person } from './person.tsx';
import type { ActiveSession } from './records.ts';

const COLUMNS: readonly Column<ActiveSession>[] = [
  { name: 'Who', cell: ({ name, subject, issuer, current }) => <Person name={name} subject={subject} issuer={issuer} mark={current ? 'This one' : undefined} />, sortBy: ({ name }) => name },
  { name: 'From', cell: (session) => <From {...session} />, sortBy: ({ address }) => address ?? '' },
  { name: 'Last used', cell: ({ last_used: at }) => formatDateTime(at), sortBy: ({ last_used: at }) => at, startsWith: 'descending', short: true },
  { name: 'Since', cell: ({ since }) => formatDateTime(since), sortBy: ({ since }) => since, startsWith: 'descending', short: true },
  { name: 'Until', cell: ({ expires }) => formatDateTime(expires), sortBy: ({ expires }) => expires, short: true },
];

/** Who is signed in, from where, and a way to end it. */
export function SessionsTab() {
  const client = useQueryClient();
  const knownGroups = useKnownGroups();
  const [person] = usePersonFilter();
  const { query, more } = usePaged(SESSIONS, person, sessionsPage);
  const tools: Column<ActiveSession> = { name: 'Actions', silent: true, cell: (session) => <Tools session={session} knownGroups={knownGroups} client={client} /> };
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <PagedList shown={items.length} total={total} what={['session', 'sessions']} more={more}>
          {items.length === 0 ? (
            <EmptyState icon={IconUsers} title="No sessions">
              {person === '' ? 'Nobody is signed in.' : 'Nobody with this name or subject is signed in.'}
            </EmptyState>
          ) : (
            <DataTable label="Sessions" columns={[...COLUMNS, tools]} rows={items} keyOf={({ id }) => id} sortable={!more.hasMore} />
          )}
        </PagedList>
      )}
    </Loaded>
  );
}

function From({ address, kind }: ActiveSession) {
  return (
    <div>
      <Text size="sm">{address ?? 'not known'}</Text>
      <Text size="xs" c="dimmed">
        {kind === 'web' ? 'Browser' : 'Desktop or CLI'}
      </Text>
    </div>
  );
}

function asPerson(session: ActiveSession, knownGroups: readonly string[]): string {
  const { subject, issuer } = session;
  return new URLSearchParams([['subject', subject], ['issuer', issuer], ...groupsThatCount(session, knownGroups).map((group) => ['group', group])]).toString();
}

function Tools({ session, knownGroups, client }: { session: ActiveSession; knownGroups: readonly string[]; client: QueryClient }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button size="compact-sm" variant="default" aria-label={`Revoke the session of ${session.name}`} onClick={() => openRevoke(session, client)}>
        Revoke
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${session.name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={`/admin/view-as?${asPerson(session, knownGroups)}`} leftSection={<IconEye size={16} />}>
            View as this person
          </Menu.Item>
          <Menu.Item component={Link} to={`/admin/keys?${new URLSearchParams({ person: session.subject }).toString()}`} leftSection={<IconKey size={16} />}>
            API keys of this person
          </Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" leftSection={<IconLogout size={16} />} onClick={() => openRevokeAll(session, client)}>
            End all sessions of this person
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

const AGAIN = 'They can sign in again: to keep them out, change the identity provider or the bindings.';

function openRevoke(session: ActiveSession, client: QueryClient): void {
  openDialog('Revoke session', (close) => (
    <DialogForm submitLabel="Revoke" destructive close={close} submit={() => endedBy(() => revokeSession(session.id), client)}>
      <Text>
        The session of <strong><Name>{session.name}</Name></strong>, since {formatDateTime(session.since)}, ends at once, with its connections and transfers. {session.current ? 'It is the one that you use now: you will be signed out.' : AGAIN}
      </Text>
    </DialogForm>
  ));
}

function openRevokeAll(session: ActiveSession, client: QueryClient): void {
  openDialog('End all sessions', (close) => (
    <DialogForm submitLabel="End all sessions" destructive close={close} submit={() => endedBy(() => revokeSessionsOf(session), client)}>
      <Text>
        Every session of <strong><Name>{session.name}</Name></strong> ends at once, in browsers, on desktops and in the command line, with its connections and transfers. {AGAIN}
      </Text>
      <Text>Their API keys stay: revoke them under API keys.</Text>
      {session.current && <Text fw={600}>You are this person: you will be signed out.</Text>}
    </DialogForm>
  ));
}

async function endedBy(end: () => Promise<void>, client: QueryClient): Promise<void> {
  await end();
  await client.invalidateQueries({ queryKey: SESSIONS });
}
