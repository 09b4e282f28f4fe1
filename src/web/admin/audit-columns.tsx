import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { operationText } from '../activity/operation.ts';
import { OutcomeBadge } from '../activity/outcome.tsx';
import { reasonText } from '../activity/reason.ts';
import { formatExactTime, formatSecond } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import type { Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { Person } from './person.tsx';
import type { AuditEntry } from './records.ts';

/** The maximum number of resources and of rules that a row shows. Further resources are only counted. */
const MAX_NAMED = 5;

/** What a row of the audit shows. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  { name: t('When'), cell: ({ time }) => <span title={formatExactTime(time)}>{formatSecond(time)}</span>, short: true },
  { name: t('Who'), cell: (entry) => <Who entry={entry} /> },
  { name: t('What'), cell: (entry) => <What entry={entry} /> },
  { name: t('About'), cell: (entry) => <About entry={entry} /> },
  { name: t('From'), cell: (entry) => <From entry={entry} />, short: true },
];

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
