import { Autocomplete, TagsInput, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import { bindingsQuery, sessionsQuery } from './admin-queries.ts';
import type { ActiveSession, Binding } from './records.ts';

type Props = {
  readonly asked: URLSearchParams;
  readonly groups: readonly string[];
  readonly onGroups: (groups: string[]) => void;
  /** Whether the subject is a required field. */
  readonly required?: boolean;
};

/** Form fields for the subject, the groups and the issuer of a person. Choosing a signed-in person fills in all three. */
export function PersonFields({ asked, groups, onGroups, required = false }: Props) {
  const account = useAccount();
  const knownGroups = useKnownGroups();
  const [subject, setSubject] = useState(asked.get('subject') ?? '');
  const [issuer, setIssuer] = useState(asked.get('issuer') ?? '');
  const { data } = useQuery({ ...sessionsQuery(subject), placeholderData: keepPreviousData });
  const signedIn = data?.items ?? [];

  function choose(chosen: string): void {
    setSubject(chosen);
    const session = signedIn.find((each) => each.subject === chosen);
    if (session === undefined) return;
    setIssuer(session.issuer === account.issuer ? '' : session.issuer);
    onGroups(groupsThatCount(session, knownGroups));
  }

  return (
    <>
      <Autocomplete
        label={t('Subject')}
        name="subject"
        data={[...new Set(signedIn.map((each) => each.subject))]}
        value={subject}
        onChange={setSubject}
        onOptionSubmit={choose}
        placeholder={required ? t('choose or type') : t('anybody')}
        required={required}
        maxLength={1024}
        spellCheck={false}
        autoComplete="off"
      />
      <TagsInput
        label={t('Groups')}
        data={knownGroups}
        value={[...groups]}
        onChange={onGroups}
        placeholder={groups.length === 0 ? t('none') : ''}
        acceptValueOnBlur
        clearable
        clearButtonProps={{ 'aria-label': t('Clear the groups') }}
      />
      <TextInput
        label={t('Issuer')}
        name="issuer"
        value={issuer}
        onChange={({ currentTarget: { value } }) => setIssuer(value)}
        placeholder={account.issuer}
        spellCheck={false}
        autoComplete="off"
      />
    </>
  );
}

/** The groups that are named in bindings. Other groups grant nothing. */
export function useKnownGroups(): string[] {
  const { data: bindings = [] } = useQuery(bindingsQuery);
  return knownGroupsIn(bindings);
}

export function knownGroupsIn(bindings: readonly Binding[]): string[] {
  return [...new Set(bindings.flatMap((binding) => binding.groups ?? []))].sort();
}

export function groupsThatCount({ groups }: Pick<ActiveSession, 'groups'>, known: readonly string[]): string[] {
  return groups.filter((group) => known.includes(group));
}
