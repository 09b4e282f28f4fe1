import { Badge, Button, Select, Stack, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { EmptyState } from '../shell/states.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { plural, t } from '../words/words.ts';
import { signInsPage, type SignInResult } from './admin-queries.ts';
import { Loaded } from './loaded.tsx';
import { PagedList, usePersonFilter } from './paged-list.tsx';
import { usePaged } from './paged.ts';
import type { KeptSignIn } from './records.ts';
import { SignInDetail } from './sign-in-detail.tsx';

/** The number of sign-ins of known people that the service stores. */
const KEPT = 500;
/** The number of refused sign-ins of unknown people that the service stores. */
const KEPT_OF_NOBODY = 100;

const COLUMNS: readonly Column<KeptSignIn>[] = [
  {
    name: t('When'),
    cell: ({ at }) => formatDateTime(at),
    sortBy: ({ at }) => at,
    startsWith: 'descending',
    short: true,
  },
  { name: t('Who'), cell: (signIn) => <Who signIn={signIn} />, sortBy: ({ subject }) => subject ?? '' },
  { name: t('Result'), cell: ({ result }) => <ResultBadge result={result} />, sortBy: ({ result }) => result },
  { name: t('Notes'), cell: (signIn) => <Findings signIn={signIn} /> },
];

/** The latest sign-ins with their results. They show why somebody cannot sign in or sees nothing. */
export function SignInsTab() {
  const [search, setSearch] = useSearchParams();
  const [person] = usePersonFilter();
  const [open, setOpen] = useState<string>();
  const result = resultIn(search);
  const { query, more } = usePaged(['admin', 'sign-ins', result ?? ''], person, (question, signal) =>
    signInsPage({ ...question, ...(result !== undefined && { result }) }, signal),
  );
  const tools: Column<KeptSignIn> = {
    name: t('Actions'),
    silent: true,
    cell: (signIn) => <Toggle signIn={signIn} isOpen={signIn.id === open} onToggle={setOpen} />,
  };
  const choose = (chosen: string | null): void =>
    setSearch(
      (now) => {
        const { result: _, ...rest } = Object.fromEntries(now);
        return chosen === null ? rest : { ...rest, result: chosen };
      },
      { replace: true },
    );
  const filters = (
    <Select
      label={t('Result')}
      placeholder={t('Signed in or refused')}
      data={results()}
      value={result ?? null}
      onChange={choose}
      clearable
      w={{ base: '100%', xs: 280 }}
    />
  );
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <PagedList
          shown={items.length}
          total={total}
          counted={(count) => plural(count, '{count} sign-in', '{count} sign-ins')}
          more={more}
          filters={filters}
          findsBy={t('subject')}
        >
          <Text size="sm" c="dimmed" maw={720}>
            {result === 'unknown'
              ? t(
                  'The latest {count} sign-ins that failed before the person was known. They are listed separately, because anybody can cause them.',
                  { count: KEPT_OF_NOBODY },
                )
              : t(
                  'The latest {count} sign-ins. The service stores the names of the claims and only the values of the subject, the name and the groups.',
                  { count: KEPT },
                )}
          </Text>
          {items.length === 0 ? (
            <EmptyState icon={IconLogin2} title={t('No sign-ins')}>
              {person === '' && result === undefined
                ? t('There have been no sign-ins yet.')
                : t('No sign-in matches these filters.')}
            </EmptyState>
          ) : (
            <DataTable
              label={t('Sign-ins')}
              columns={[...COLUMNS, tools]}
              rows={items}
              keyOf={({ id }) => id}
              below={(signIn) => (signIn.id === open ? <SignInDetail signIn={signIn} /> : undefined)}
              sortable={!more.hasMore}
            />
          )}
        </PagedList>
      )}
    </Loaded>
  );
}

function results(): { readonly value: SignInResult; readonly label: string }[] {
  return [
    { value: 'signedIn', label: t('Signed in') },
    { value: 'refused', label: t('Refused') },
    { value: 'unknown', label: t('Refused, person unknown') },
  ];
}

function resultIn(search: URLSearchParams): SignInResult | undefined {
  return results().find(({ value }) => value === search.get('result'))?.value;
}

function Who({ signIn: { subject, name = subject, kind, address } }: { readonly signIn: KeptSignIn }) {
  return (
    <div>
      {subject === undefined ? (
        <Text size="sm" c="dimmed">
          {t('not known')}
        </Text>
      ) : (
        <Text size="sm" fw={600} lineClamp={2}>
          <Name>{name ?? subject}</Name>
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {subject !== undefined && subject !== name && (
          <>
            <Name>{subject}</Name> ·{' '}
          </>
        )}
        {kind === 'web' ? t('Browser') : t('Desktop or CLI')} · {address ?? t('not known')}
      </Text>
    </div>
  );
}

function ResultBadge({ result }: Pick<KeptSignIn, 'result'>) {
  return (
    <Badge variant="light" color={result === 'signedIn' ? 'lagoon' : 'red'} radius="sm" tt="none" miw="max-content">
      {result === 'signedIn' ? t('Signed in') : t('Refused')}
    </Badge>
  );
}

/** The problems of a sign-in in a few words. The details explain them. */
function Findings({ signIn }: { readonly signIn: KeptSignIn }) {
  const found = findingsOf(signIn);
  if (found.length === 0)
    return (
      <Text size="sm" c="dimmed">
        –
      </Text>
    );
  return (
    <Stack gap={2}>
      {found.map((finding) => (
        <Text key={finding} size="sm">
          {finding}
        </Text>
      ))}
    </Stack>
  );
}

function findingsOf({
  result,
  code,
  provider_error: said,
  subject,
  bindings,
  local_roles: localRoles,
  groups,
  groups_found: found,
  groups_claim: claim,
  subject_unsafe: unsafe,
}: KeptSignIn): string[] {
  const findings: string[] = [];
  if (result === 'refused')
    findings.push(said === undefined ? (code ?? '') : t('The identity provider answered {error}', { error: said }));
  if (subject === undefined || result === 'refused') return findings;
  if (bindings.length === 0 && localRoles === undefined)
    findings.push(t('No binding matches, so this person sees nothing'));
  if (!found && localRoles === undefined) findings.push(t('The claim {claim} is missing', { claim }));
  const unused = groups.filter(({ bound }) => !bound).length;
  if (unused > 0) findings.push(plural(unused, '{count} group without a binding', '{count} groups without a binding'));
  if (unsafe || groups.some((group) => group.unsafe)) findings.push(t('A claim cannot be used as a folder name'));
  return findings;
}

function Toggle({
  signIn: { id, subject },
  isOpen,
  onToggle,
}: {
  readonly signIn: KeptSignIn;
  readonly isOpen: boolean;
  readonly onToggle: (id: string | undefined) => void;
}) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-expanded={isOpen}
      aria-label={t('Details of the sign-in of {name}', { name: visibleText(subject ?? t('not known')) })}
      onClick={() => onToggle(isOpen ? undefined : id)}
    >
      {t('Details')}
    </Button>
  );
}
