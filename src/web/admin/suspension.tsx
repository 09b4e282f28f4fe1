import { Button, Stack, Text, Title } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { OperationOutput } from '../../wire/operations.ts';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { apiErrorOf } from '../api/api-error.ts';
import { call } from '../api/rpc.ts';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { SESSIONS } from './admin-queries.ts';
import { Loaded } from './loaded.tsx';
import { usePersonFilter } from './paged-list.tsx';
import { usePaged, type ListPage, type PageQuestion } from './paged.ts';
import { Person } from './person.tsx';
import { ShowMore } from './show-more.tsx';

type Suspended = OperationOutput<'person/listSuspended'>['people'][number];
type OnePerson = { readonly issuer: string; readonly subject: string; readonly name: string };

const SUSPENDED = ['admin', 'suspended'];

/** Lists the people who are suspended, if there are any, and resumes them. */
export function SuspendedPeople() {
  const client = useQueryClient();
  const [person] = usePersonFilter();
  const { query, more } = usePaged(SUSPENDED, person, suspendedPage);
  // Without a state database nobody can be suspended.
  if (query.error !== null && apiErrorOf(query.error).code === 'not_supported') return null;
  if (query.data?.items.length === 0) return null;
  const tools: Column<Suspended> = {
    name: t('Actions'),
    silent: true,
    cell: (each) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('Resume person {name}', { name: visibleText(each.name) })}
        onClick={() => openResume(each, client)}
      >
        {t('Resume')}
      </Button>
    ),
  };
  return (
    <Stack gap="sm" mt="xl" component="section" aria-label={t('Suspended people')}>
      <Title order={2} size="h4">
        {t('Suspended people')}
      </Title>
      <Loaded query={query}>
        {({ items }) => (
          <>
            <DataTable
              label={t('Suspended people')}
              columns={[...COLUMNS, tools]}
              rows={items}
              keyOf={({ issuer, subject }) => `${issuer} ${subject}`}
              sortable={!more.hasMore}
            />
            <ShowMore more={more} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

const COLUMNS: readonly Column<Suspended>[] = [
  { name: t('Who'), cell: (each) => <Person {...each} />, sortBy: ({ name }) => name },
  {
    name: t('Since'),
    cell: ({ since }) => formatDateTime(since),
    sortBy: ({ since }) => since,
    startsWith: 'descending',
  },
];

async function suspendedPage(question: PageQuestion, signal: AbortSignal): Promise<ListPage<Suspended>> {
  const { people, total, nextCursor } = await call('person/listSuspended', question, signal);
  return { items: people, total, next: nextCursor };
}

/** Asks whether a person is to be suspended, and suspends them. */
export function openSuspend({ issuer, subject, name }: OnePerson, client: QueryClient): void {
  openDialog(t('Suspend person'), (close) => (
    <DialogForm
      submitLabel={t('Suspend')}
      destructive
      close={close}
      submit={async () => {
        // Names of an identity provider may be longer than a request may tell.
        await call('person/suspend', { issuer, subject, name: Array.from(name).slice(0, 1_024).join('') });
        await changed(client);
      }}
    >
      <Text>
        {rich(
          'The sessions of {person} end at once, their API keys and S3 keys stop working, and they cannot sign in until an administrator resumes them. Nothing is deleted.',
          { person: named(name) },
        )}
      </Text>
    </DialogForm>
  ));
}

function openResume({ issuer, subject, name }: OnePerson, client: QueryClient): void {
  openDialog(t('Resume person'), (close) => (
    <DialogForm
      submitLabel={t('Resume')}
      close={close}
      submit={async () => {
        await call('person/resume', { issuer, subject });
        await changed(client);
      }}
    >
      <Text>{rich('{person} can sign in again, and their keys work again.', { person: named(name) })}</Text>
    </DialogForm>
  ));
}

function named(name: string) {
  return (
    <strong>
      <Name>{name}</Name>
    </strong>
  );
}

async function changed(client: QueryClient): Promise<void> {
  await Promise.all([SESSIONS, SUSPENDED].map((queryKey) => client.invalidateQueries({ queryKey })));
}
