import { Anchor, Button, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { operationText } from '../activity/operation.ts';
import { OutcomeBadge } from '../activity/outcome.tsx';
import { reasonText } from '../activity/reason.ts';
import { formatExactTime, formatSecond } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import type { Column } from '../table/data-table.tsx';
import { formatNumber, plural, t } from '../words/words.ts';
import { folderOf, placeOf, type Look } from './audit-looks.ts';
import { Person } from './person.tsx';
import type { AuditEntry } from './records.ts';

/** The maximum number of resources and of rules that a row shows. Further resources are only counted. */
const MAX_NAMED = 5;

/** What a row of the audit shows about a line. */
const auditColumns: readonly Column<AuditEntry>[] = [
  { name: t('When'), cell: ({ time }) => <span title={formatExactTime(time)}>{formatSecond(time)}</span>, short: true },
  { name: t('Who'), cell: (entry) => <Who entry={entry} /> },
  { name: t('What'), cell: (entry) => <What entry={entry} /> },
  { name: t('About'), cell: (entry) => <About entry={entry} /> },
  { name: t('From'), cell: (entry) => <From entry={entry} />, short: true },
];

/** What a row of the audit shows about a look. @param isOpen - whether the lines of a look are shown. @param toggle - shows or hides them. */
export function lookColumns(isOpen: (look: Look) => boolean, toggle: (look: Look) => void): readonly Column<Look>[] {
  return auditColumns.map(({ name, cell, short }, i) => ({
    name,
    ...(short === true && { short }),
    cell: (look) =>
      look.length === 1 || (i !== WHAT && i !== ABOUT) ? (
        cell(look[0])
      ) : i === WHAT ? (
        <Reads look={look} isOpen={isOpen(look)} onToggle={() => toggle(look)} />
      ) : (
        <Places places={[...new Set(look.map(placeOf))]} />
      ),
  }));
}

/** The columns that a look of several lines has otherwise than a line. */
const [WHAT, ABOUT] = [2, 3];

/** What a row shows about one line of a look, without what all of them have in common. */
export const columnsInLook = auditColumns.filter(({ name }) => name !== t('Who') && name !== t('From'));

function Reads({ look, isOpen, onToggle }: { look: Look; isOpen: boolean; onToggle: () => void }) {
  const counts = Map.groupBy(look, ({ operation }) => operation);
  return (
    <div>
      <Text size="sm">
        {Array.from(counts, ([operation, { length }]) =>
          length === 1 ? operationText(operation) : `${operationText(operation)} (${formatNumber(length)})`,
        ).join(', ')}
      </Text>
      <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={onToggle}>
        {plural(look.length, '{count} line', '{count} lines')}
      </Button>
    </div>
  );
}

function Places({ places }: { places: readonly string[] }) {
  return (
    <div>
      {places.slice(0, MAX_NAMED).map((place) => (
        <Text key={place} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Name>{place}</Name>
        </Text>
      ))}
      {places.length > MAX_NAMED && (
        <Text size="xs">{t('and {count} more', { count: places.length - MAX_NAMED })}</Text>
      )}
    </div>
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
      link={{
        to: linkTo({ subject, issuer, from: dayOf(time), to: dayOf(time) }),
        label: t('Audit of {name} on this day', { name }),
      }}
    />
  );
}

function dayOf(time: string): string {
  const at = new Date(time);
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
}

/** What a line is about, in words. Its resources say whether a copy was a move, and whether it led to another folder. */
function whatText({ operation, resources }: AuditEntry): string {
  if (operation !== 'object/copy' || resources.length === 0) return operationText(operation);
  if (!resources.some(({ action }) => action === 'objects:delete')) return t('Copy');
  return new Set(resources.map(folderOf)).size === 1 ? t('Rename') : t('Move');
}

function What({ entry }: { readonly entry: AuditEntry }) {
  const { operation, outcome, why } = entry;
  return (
    // No word of it breaks, so that the column is never narrower than one.
    <div style={{ overflowWrap: 'normal' }}>
      <Group gap="xs">
        <Text size="sm">{whatText(entry)}</Text>
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
    of === undefined || (of.issuer === issuer && of.subject === subject) ? [] : [of],
  );
  const reasons = [...new Set([...ownersText(owners), ...resources.flatMap((resource) => reasonsOf(resource, why))])];
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

/** Whom the resources belong to, each person once: under their name, where one resource tells more than the subject. */
function ownersText(owners: readonly NonNullable<Resource['of']>[]): readonly string[] {
  const names = new Map<string, string>();
  for (const { issuer, subject, name } of owners) {
    const person = JSON.stringify([issuer, subject]);
    if (!names.has(person) || (name !== '' && name !== subject)) names.set(person, name === '' ? subject : name);
  }
  return Array.from(names.values(), (name) => t('Belongs to {name}', { name }));
}

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
