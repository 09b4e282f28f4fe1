import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory, IconSearch } from '@tabler/icons-react';
import type { SubmitEvent } from 'react';
import { useSearchParams } from 'react-router';
import { operations } from '../activity/operation.ts';
import { outcomes } from '../activity/outcome.tsx';
import { EmptyState } from '../shell/states.tsx';
import { DataTable } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { auditQuery, type AuditFilter } from './admin-queries.ts';
import { auditColumns } from './audit-columns.tsx';
import { Loaded } from './loaded.tsx';
import { moreOf } from './paged.ts';
import { writtenIn } from './place-fields.tsx';
import type { AuditEntry } from './records.ts';
import { ShowMore } from './show-more.tsx';

const EXACT = { spellCheck: false, autoComplete: 'off' } as const;
const FILTERS = ['subject', 'issuer', 'resource', 'operation', 'outcome', 'day'] as const;
/** The audit, the latest line first. The filters are in the URL, so that one person's day or one object's history can be linked. */
export function AuditTab() {
  const [search, setSearch] = useSearchParams();
  const query = useInfiniteQuery(auditQuery(filterIn(search)));
  return (
    <Stack gap="lg">
      <FilterForm key={search.toString()} asked={search} onAsk={setSearch} />
      <Loaded query={query}>
        {({ pages }) => (
          <Stack gap="md">
            {pages.some(({ complete }) => !complete) && (
              <Text size="sm" role="status">
                {t('Newer lines are still being indexed. Try again in a moment.')}
              </Text>
            )}
            <Entries entries={pages.flatMap(({ lines }) => lines)} />
            <ShowMore more={moreOf(query)} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  if (entries.length === 0)
    return (
      <EmptyState icon={IconHistory} title={t('Nothing in the audit')}>
        {t('No audit line matches these filters.')}
      </EmptyState>
    );
  return (
    <DataTable
      label={t('Audit')}
      columns={auditColumns}
      rows={entries}
      keyOf={({ instance, seq }) => `${instance} ${seq}`}
      sortable={false}
    />
  );
}

/** Reads the filters from the URL. A day starts and ends in the time zone of the browser. */
function filterIn(search: URLSearchParams): AuditFilter {
  const { day, ...filters } = Object.fromEntries(
    FILTERS.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : [])),
  );
  const begin = new Date(`${day ?? ''}T00:00:00`);
  if (day === undefined || Number.isNaN(begin.getTime())) return filters;
  const end = new Date(begin);
  end.setDate(end.getDate() + 1);
  return { ...filters, from: begin.toISOString(), to: end.toISOString() };
}

function FilterForm({
  asked,
  onAsk,
}: {
  readonly asked: URLSearchParams;
  readonly onAsk: (search: URLSearchParams) => void;
}) {
  function ask(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    onAsk(writtenIn(event.currentTarget));
  }
  return (
    <form onSubmit={ask} aria-label={t('Filters')}>
      <SimpleGrid maw={960} cols={{ base: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
        <TextInput
          label={t('Subject')}
          name="subject"
          defaultValue={asked.get('subject') ?? ''}
          maxLength={1024}
          {...EXACT}
        />
        <TextInput
          label={t('Object')}
          name="resource"
          placeholder={t('provider/bucket/key')}
          defaultValue={asked.get('resource') ?? ''}
          maxLength={2048}
          {...EXACT}
        />
        <TextInput label={t('Day')} name="day" type="date" defaultValue={asked.get('day') ?? ''} />
        <Select
          label={t('Operation')}
          name="operation"
          placeholder={t('any')}
          data={operations()}
          defaultValue={asked.get('operation')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('Clear {field}', { field: t('Operation') }) }}
        />
        <Select
          label={t('Outcome')}
          name="outcome"
          placeholder={t('any')}
          data={outcomes()}
          defaultValue={asked.get('outcome')}
          clearable
        />
        <Group gap="sm" align="flex-end">
          <Button type="submit" leftSection={<IconSearch size={18} stroke={1.7} />}>
            {t('Show')}
          </Button>
          {asked.size > 0 && (
            <Button variant="default" onClick={() => onAsk(new URLSearchParams())}>
              {t('Show everything')}
            </Button>
          )}
        </Group>
      </SimpleGrid>
    </form>
  );
}
