import { Autocomplete, TagsInput, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Name } from '../names/name.tsx';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import { bindingsQuery, knownPeopleQuery, type KnownPerson } from './admin-queries.ts';
import type { Binding } from './records.ts';

type Props = {
  readonly asked: URLSearchParams;
  readonly groups: readonly string[];
  readonly onGroups: (groups: string[]) => void;
  /** Whether the subject is a required field. */
  readonly required?: boolean;
};

/** Form fields for the subject, the groups and the issuer of a person. Choosing a known person, also by a part of the name, fills in all three. */
export function PersonFields({ asked, groups, onGroups, required = false }: Props) {
  const account = useAccount();
  const knownGroups = useKnownGroups();
  const [subject, setSubject] = useState(asked.get('subject') ?? '');
  const [issuer, setIssuer] = useState(asked.get('issuer') ?? '');
  const { data: known = [] } = useQuery({ ...knownPeopleQuery(subject), placeholderData: keepPreviousData });
  const called = (wanted: string) => known.find((person) => person.subject === wanted);

  function choose(chosen: string): void {
    setSubject(chosen);
    const person = called(chosen);
    if (person === undefined) return;
    setIssuer(person.issuer === account.issuer ? '' : person.issuer);
    onGroups(groupsThatCount(person, knownGroups));
  }

  return (
    <>
      <Autocomplete
        label={t('Subject')}
        name="subject"
        data={[...new Set(known.map((person) => person.subject))]}
        // The service has looked for the text, in names too.
        filter={({ options }) => options}
        renderOption={({ option: { value } }) => <PersonOption person={called(value)} />}
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

function PersonOption({ person }: { person: KnownPerson | undefined }) {
  if (person === undefined) return null;
  const { name, subject } = person;
  return (
    <span>
      <Name>{name}</Name>{' '}
      {name !== subject && (
        <Text component="span" size="xs" c="dimmed">
          <Name>{subject}</Name>
        </Text>
      )}
    </span>
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

export function groupsThatCount({ groups }: Pick<KnownPerson, 'groups'>, known: readonly string[]): string[] {
  return groups.filter((group) => known.includes(group));
}
