import { Anchor, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory, IconSearch } from '@tabler/icons-react';
import type { SubmitEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { operations, operationText } from '../activity/operation.ts';
import { OutcomeBadge, outcomes } from '../activity/outcome.tsx';
import { reasonText } from '../activity/reason.ts';
import { formatExactTime, formatSecond } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { auditQuery, type AuditFilter } from './admin-queries.ts';
import { Loaded } from './loaded.tsx';
import { moreOf } from './paged.ts';
import { Person } from './person.tsx';
import { writtenIn } from './place-fields.tsx';
import type { AuditEntry } from './records.ts';
import { ShowMore } from './show-more.tsx';

const EXACT = { spellCheck: false, autoComplete: 'off' } as const;
const FILTERS = ['subject', 'issuer', 'resource', 'operation', 'outcome', 'day'] as const;
/** The maximum number of resources and of rules that a row shows. Further resources are only counted. */
const MAX_NAMED = 5;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: t('When'), cell: ({ time }) => <span title={formatExactTime(time)}>{formatSecond(time)}</span>, short: true },
  { name: t('Who'), cell: (entry) => <Who entry={entry} /> },
  { name: t('What'), cell: (entry) => <What entry={entry} /> },
  { name: t('About'), cell: (entry) => <About entry={entry} /> },
  { name: t('From'), cell: (entry) => <From entry={entry} />, short: true },
];

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
      columns={COLUMNS}
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

function linkTo(filter: Readonly<Record<string, string>>): string {
  return `/admin/audit?${new URLSearchParams(filter).toString()}`;
}

function Who({ entry: { name, subject, issuer, time } }: { readonly entry: AuditEntry }) {
  if (subject === '') return <Text size="sm">{t('Not signed in')}</Text>;
  return (
    <Person
      name={name}
      subject={subject}
      issuer={issuer}
      link={{ to: linkTo({ subject, issuer, day: dayOf(time) }), label: t('Audit of {name} on this day', { name }) }}
    />
  );
}

function dayOf(time: string): string {
  const at = new Date(time);
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
}

function What({ entry: { operation, outcome, why } }: { readonly entry: AuditEntry }) {
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">{operationText(operation)}</Text>
        <OutcomeBadge outcome={outcome} />
      </Group>
      <Text size="xs" c="dimmed">
        {operation}
      </Text>
      {why !== undefined && (
        <Text size="xs" c="dimmed">
          {why}
        </Text>
      )}
    </div>
  );
}

function About({ entry: { resources, why, issuer, subject } }: { readonly entry: AuditEntry }) {
  const outcomes = outcomesOf(resources);
  const isMixed = new Set(outcomes.values()).size > 1;
  const owners = resources.flatMap(({ of }) =>
    of === undefined || (of.issuer === issuer && of.subject === subject)
      ? []
      : [t('Belongs to {name}', { name: of.name === '' ? of.subject : of.name })],
  );
  const reasons = [...new Set([...owners, ...resources.flatMap((resource) => reasonsOf(resource, why))])];
  return (
    <div>
      {Array.from(outcomes)
        .slice(0, MAX_NAMED)
        .map(([resource, outcome]) => (
          <Group key={resource} gap="xs" wrap="nowrap">
            {isMixed && outcome !== undefined && <OutcomeBadge outcome={outcome} />}
            <Anchor component={Link} size="sm" to={linkTo({ resource })} style={{ overflowWrap: 'anywhere' }}>
              <Name>{resource}</Name>
            </Anchor>
          </Group>
        ))}
      {outcomes.size > MAX_NAMED && (
        <Text size="xs">{t('and {count} more', { count: outcomes.size - MAX_NAMED })}</Text>
      )}
      {reasons.slice(0, MAX_NAMED).map((reason) => (
        <Text key={reason} size="xs" c="dimmed">
          <Name>{reason}</Name>
        </Text>
      ))}
    </div>
  );
}

type Resource = AuditEntry['resources'][number];

const WORST_FIRST: readonly Resource['outcome'][] = ['denied', 'failed', 'untouched', 'done', undefined];

/** The outcome for each name, the worst if it was about several actions. What was not done comes first, because only some names are shown. */
function outcomesOf(resources: readonly Resource[]): ReadonlyMap<string, Resource['outcome']> {
  const outcomes = new Map<string, Resource['outcome']>();
  for (const worst of WORST_FIRST)
    for (const { resource, outcome } of resources)
      if (outcome === worst && !outcomes.has(resource)) outcomes.set(resource, outcome);
  return outcomes;
}

/** @param lineReason - the reason for the whole line, which is shown already. */
function reasonsOf({ rule, outcome, why }: Resource, lineReason: string | undefined): readonly string[] {
  if (rule !== undefined) return [decidedBy(ruleText(rule), outcome)];
  return why === undefined || why === lineReason ? [] : [reasonText(why)];
}

function decidedBy(rule: string, outcome: string | undefined): string {
  return outcome === 'denied' ? t('Denied by {rule}', { rule }) : t('Allowed by {rule}', { rule });
}

/** A rule of the audit, such as `photographers 0`. People count rules from 1, as the other pages do. */
function ruleText(rule: string): string {
  const [, policy, index] = /^(.+) (\d+)$/s.exec(rule) ?? [];
  return policy === undefined ? rule : t('{policy} rule {number}', { policy, number: Number(index) + 1 });
}

function From({ entry: { address, via, instance } }: { readonly entry: AuditEntry }) {
  return (
    <div>
      <Text size="sm">{address ?? t('not known')}</Text>
      <Text size="xs" c="dimmed">
        {via} · {instance}
      </Text>
    </div>
  );
}
