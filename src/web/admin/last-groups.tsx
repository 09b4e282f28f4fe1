import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Name } from '../names/name.tsx';
import { useAccount } from '../session/use-session.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { bindingsQuery, lastGroupsQuery, type ViewQuestion } from './admin-queries.ts';
import { groupsThatCount, knownGroupsIn } from './person-fields.tsx';
import { withEach } from './place-fields.tsx';

/**
 * The groups of a question about a person: those entered, or those of the last sign-in if a new subject was entered without groups.
 *
 * @param asked - the question before.
 */
export function useGroupsToAsk(asked: URLSearchParams) {
  const client = useQueryClient();
  const account = useAccount();
  return async (next: URLSearchParams, entered: readonly string[]): Promise<readonly string[]> => {
    const subject = next.get('subject');
    if (subject === null || entered.length > 0 || subject === asked.get('subject')) return entered;
    const issuer = next.get('issuer') ?? account.issuer;
    const [last, bindings] = await Promise.all([
      client.query(lastGroupsQuery({ subject, issuer })).catch(() => null),
      client.query(bindingsQuery).catch(() => []),
    ]);
    return last === null ? entered : groupsThatCount({ groups: last }, knownGroupsIn(bindings));
  };
}

/** A question with other groups. */
export function withGroups(question: URLSearchParams, groups: readonly string[]): URLSearchParams {
  return withEach(question, 'group', groups);
}

/** Says whether a question about a person has the groups of their last sign-in, and offers them if not. */
export function LastGroupsNote({
  person: { subject, issuer, groups },
  onGroups,
}: {
  person: ViewQuestion;
  onGroups: (groups: readonly string[]) => void;
}) {
  const account = useAccount();
  const last = useQuery(lastGroupsQuery({ subject, issuer: issuer ?? account.issuer }));
  const { data: bindings } = useQuery(bindingsQuery);
  const person = (
    <strong>
      <Name>{subject}</Name>
    </strong>
  );
  if (last.isError)
    return <Note>{rich('The groups of the last sign-in of {person} could not be loaded.', { person })}</Note>;
  if (last.data === undefined || bindings === undefined) return null;
  if (last.data === null)
    return <Note>{rich('No sign-in of {person} is known. Only the groups that you entered count.', { person })}</Note>;
  const theirs = groupsThatCount({ groups: last.data }, knownGroupsIn(bindings));
  const isSame = theirs.length === groups.length && theirs.every((group) => groups.includes(group));
  if (isSame)
    return (
      <Text size="sm" c="dimmed" role="note">
        {theirs.length === 0
          ? rich('At the last sign-in, {person} was in no group that a binding names.', { person })
          : rich('These are the groups of the last sign-in of {person}.', { person })}
      </Text>
    );
  return (
    <Note>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {rich('This does not apply to {person}, whose groups at the last sign-in were: {groups}.', {
            person,
            groups: theirs.length === 0 ? t('none') : theirs.join(', '),
          })}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => onGroups(theirs)}>
          {t('Use these groups')}
        </Button>
      </Group>
    </Note>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" role="note">
      {children}
    </Alert>
  );
}
