import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { t } from '../words/words.ts';
import type { More } from './paged.ts';
import { ShowMore } from './show-more.tsx';

const PAUSE_MS = 250;

/** The person filter in the URL, and a function that sets it. An empty filter matches everybody. */
export function usePersonFilter(): readonly [string, (person: string) => void] {
  const [search, setSearch] = useSearchParams();
  return [
    search.get('person') ?? '',
    (person) =>
      setSearch(
        (now) => {
          const { person: _, ...rest } = Object.fromEntries(now);
          return person === '' ? rest : { ...rest, person };
        },
        { replace: true },
      ),
  ];
}

/** The frame of a paged list with a person filter. @param counted - the text for a number of items. @param filters - filters in addition to the person. @param findsBy - what the filter is compared with. */
export function PagedList({
  shown,
  total,
  counted,
  more,
  filters,
  findsBy = t('name or subject'),
  children,
}: {
  shown: number;
  total: number;
  counted: (count: number) => string;
  more: More;
  filters?: ReactNode;
  findsBy?: string;
  children: ReactNode;
}) {
  const [person, setPerson] = usePersonFilter();
  const [text, setText] = useState(person);
  const search = useDebouncedCallback(setPerson, PAUSE_MS);
  return (
    <Stack gap="md">
      <Group gap="md" align="flex-end">
        <TextInput
          label={t('Person')}
          placeholder={findsBy}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value);
            search(value.trim());
          }}
          w={{ base: '100%', xs: 280 }}
          maxLength={1024}
          spellCheck={false}
          autoComplete="off"
        />
        {filters}
        <Text size="sm" c="dimmed" role="status" pb={8}>
          {shown < total ? t('The latest {shown} of {all}', { shown, all: counted(total) }) : counted(total)}
        </Text>
      </Group>
      {children}
      <ShowMore more={more} />
    </Stack>
  );
}
