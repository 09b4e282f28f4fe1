import { Badge, Group, Stack, Text } from '@mantine/core';
import { Name } from '../names/name.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { rich } from '../words/rich.ts';
import { plural, t } from '../words/words.ts';
import { AllowedKeys } from './allowed-keys.tsx';
import { EffectBadge } from './effect-badge.tsx';
import { GroupPeople } from './group-people.tsx';
import { PolicyName, RoleName } from './name-link.tsx';
import { Person } from './person.tsx';
import type { AllowedKey, Holder } from './records.ts';
import { SelectorText } from './selector-text.tsx';

const COLUMNS: readonly Column<Holder>[] = [
  {
    name: t('Who'),
    cell: (holder) => <Meant holder={holder} />,
    sortBy: ({ group, subject }) => group ?? subject ?? '',
  },
  { name: t('Answer'), cell: ({ outcome }) => <Outcome outcome={outcome} />, sortBy: ({ outcome }) => outcome },
  { name: t('Why'), cell: (holder) => <Rules holder={holder} /> },
];

type Props = {
  readonly action: string;
  readonly place: string;
  /** Whether storage may take the place that was asked about for this one. */
  readonly isTakenFor: boolean;
  readonly isUnnamed: boolean;
  readonly everybody: boolean;
  readonly holders: readonly Holder[];
  readonly isWhole: boolean;
  readonly keys: readonly AllowedKey[];
  readonly keysLeftOut: number;
};

/** The groups and people whom a rule allows or denies an action on a place, and whether everybody else may do it. */
export function WhoAnswer({
  action,
  place,
  isTakenFor,
  isUnnamed,
  everybody,
  holders,
  isWhole,
  keys,
  keysLeftOut,
}: Props) {
  const title = t('{action} on {place}', { action, place });
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Text size="sm" fw={600}>
        <Name>{isUnnamed ? t('{action} on new objects in {place}', { action, place }) : title}</Name>
      </Text>
      {isTakenFor && (
        <Text size="sm">
          {t('Some storage takes the object for this one, so this answer must allow the action too.')}
        </Text>
      )}
      {holders.length > 0 && (
        <>
          <Text size="sm">
            {t('A person is allowed if at least one of the rows that apply to them is allowed and none is denied.')}
          </Text>
          <DataTable
            label={title}
            columns={COLUMNS}
            rows={holders}
            keyOf={({ group, issuer, subject, only }) => JSON.stringify([group, issuer, subject, only])}
            sortable={isWhole}
          />
        </>
      )}
      {isWhole && (
        <Text size="sm" role="status">
          {othersText(everybody, holders.length > 0)}
        </Text>
      )}
      <AllowedKeys action={action} keys={keys} leftOut={keysLeftOut} />
    </Stack>
  );
}

function othersText(everybody: boolean, isSomebodyNamed: boolean): string {
  if (everybody) return t('Everybody who is signed in is allowed, because policies are disabled.');
  return isSomebodyNamed
    ? t('Everybody else is denied, because no rule allows it.')
    : t('Nobody is allowed, because no rule allows it.');
}

function Meant({ holder }: { holder: Holder }) {
  return (
    <div>
      <HolderName holder={holder} />
      {holder.only !== undefined && (
        <Text size="xs">
          <Name>{onlyText(holder.only)}</Name>
        </Text>
      )}
    </div>
  );
}

function onlyText({ subject, group, unsafe }: NonNullable<Holder['only']>): string {
  if (subject !== undefined) return t('if their subject is {subject}', { subject });
  if (group !== undefined) return t('if they are also in the group {group}', { group });
  return unsafe === 'subject'
    ? t('if their subject cannot be used as a folder name')
    : t('if one of their groups cannot be used as a folder name');
}

function HolderName({ holder: { group, issuer = '', subject = '', local } }: { holder: Holder }) {
  if (group === undefined)
    return <Person name={subject} subject={subject} issuer={issuer} mark={local ? t('local user') : undefined} />;
  return <GroupPeople group={group} />;
}

function Outcome({ outcome }: Pick<Holder, 'outcome'>) {
  return (
    <Badge variant="light" color={outcome === 'allowed' ? 'lagoon' : 'red'} radius="sm" tt="none" miw="max-content">
      {outcome === 'allowed' ? t('Allowed') : t('Denied')}
    </Badge>
  );
}

function Rules({ holder: { rules, left_out: leftOut } }: { holder: Holder }) {
  return (
    <Stack gap="xs">
      {rules.map(({ effect, policy, rule, resource, by }) => (
        <div key={JSON.stringify([policy, rule, resource])}>
          <Group gap={6}>
            <EffectBadge effect={effect} />
            <SelectorText selector={resource} />
          </Group>
          <Text size="xs" c="dimmed">
            {rich('{policy} rule {number}', { policy: <PolicyName name={policy} />, number: rule + 1 })}
            {by.map((way) => (
              <Way key={JSON.stringify(way)} way={way} />
            ))}
          </Text>
        </div>
      ))}
      {leftOut > 0 && (
        <Text size="xs" c="dimmed">
          {plural(leftOut, '{count} more rule', '{count} more rules')}
        </Text>
      )}
    </Stack>
  );
}

function Way({ way: { from, place, role } }: { way: Holder['rules'][number]['by'][number] }) {
  const number = place + 1;
  return (
    <>
      {' · '}
      {from === 'binding' ? t('binding {number}', { number }) : t('local user {number}', { number })}
      {role !== undefined && <>, {rich('role {role}', { role: <RoleName name={role} /> })}</>}
    </>
  );
}
