import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconUsers } from '@tabler/icons-react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { formatDateTime } from '../format/format.ts';
import { EmptyState } from '../shell/states.tsx';
import { revokeSession, sessionsQuery } from './admin-queries.ts';
import { DataTable, type Column } from './data-table.tsx';
import { Loaded } from './loaded.tsx';
import type { ActiveSession } from './records.ts';

const COLUMNS: readonly Column<ActiveSession>[] = [
  {
    name: 'Who',
    cell: ({ name, subject, issuer }) => (
      <div>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {subject} of {issuer}
        </Text>
      </div>
    ),
  },
  { name: 'Kind', cell: ({ kind }) => (kind === 'web' ? 'Browser' : 'Desktop or CLI') },
  { name: 'Since', cell: ({ since }) => <span className="tabular">{formatDateTime(since)}</span> },
  { name: 'Until', cell: ({ expires }) => <span className="tabular">{formatDateTime(expires)}</span> },
];

/** Who is signed in, and a way to end it. */
export function SessionsTab() {
  const client = useQueryClient();
  const query = useQuery(sessionsQuery);
  const revoke: Column<ActiveSession> = {
    name: 'Revoke',
    silent: true,
    cell: (session) => (
      <Button size="compact-sm" variant="default" aria-label={`Revoke the session of ${session.name}`} onClick={() => openRevoke(session, client)}>
        Revoke
      </Button>
    ),
  };
  return (
    <Loaded query={query}>
      {(sessions) =>
        sessions.length === 0 ? (
          <EmptyState icon={IconUsers} title="No sessions">
            Nobody is signed in.
          </EmptyState>
        ) : (
          <DataTable label="Sessions" columns={[...COLUMNS, revoke]} rows={sessions} keyOf={({ id }) => id} />
        )
      }
    </Loaded>
  );
}

function openRevoke(session: ActiveSession, client: QueryClient): void {
  openDialog('Revoke session', (close) => (
    <DialogForm
      submitLabel="Revoke"
      destructive
      close={close}
      submit={async () => {
        await revokeSession(session.id);
        await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      }}
    >
      <Text>
        The session of <strong>{session.name}</strong>, since {formatDateTime(session.since)}, ends at once, with its connections and transfers. They can sign in again: to keep them out, change the identity provider or
        the bindings.
      </Text>
    </DialogForm>
  ));
}
