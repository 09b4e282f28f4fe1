import { Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode, SubmitEvent } from 'react';
import { Link } from 'react-router';
import { operations } from '../activity/operation.ts';
import { outcomes } from '../activity/outcome.tsx';
import { t } from '../words/words.ts';
import type { AuditFilter } from './admin-queries.ts';
import { writtenIn } from './place-fields.tsx';

const EXACT = { spellCheck: false, autoComplete: 'off' } as const;
const TEXTS = ['subject', 'issuer', 'resource', 'operation', 'outcome'] as const;
const SHOWN = [
  { value: 'changes', label: t('Changes') },
  { value: 'storage', label: t('Changes and reads') },
  { value: 'everything', label: t('Also reads of these pages') },
];

/** What is shown by default: changes, or everything with a certain operation or outcome. */
function defaultShown(search: URLSearchParams): string {
  return search.has('operation') || search.has('outcome') ? 'everything' : 'changes';
}

/** Reads the filters from the URL. A day starts and ends in the time zone of the browser. */
export function filterIn(search: URLSearchParams): AuditFilter {
  const texts = Object.fromEntries(TEXTS.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : [])));
  const shown = search.get('show') ?? defaultShown(search);
  const from = dayOf(search.get('from'), 0);
  const to = dayOf(search.get('to'), 1);
  return {
    ...texts,
    ...((shown === 'changes' || shown === 'storage') && { only: shown }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** The begin of a day, or of a day some days later. */
function dayOf(day: string | null, later: number): string | undefined {
  const begin = new Date(`${day ?? ''}T00:00:00`);
  if (Number.isNaN(begin.getTime())) return undefined;
  begin.setDate(begin.getDate() + later);
  return begin.toISOString();
}

type Props = {
  readonly asked: URLSearchParams;
  readonly onAsk: (search: URLSearchParams) => void;
  readonly children: ReactNode;
};

/** The form of the filters. @param children - further buttons. */
export function AuditFilterForm({ asked, onAsk, children }: Props) {
  function ask(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const next = writtenIn(event.currentTarget);
    next.delete('show', defaultShown(asked));
    onAsk(next);
  }
  return (
    <form onSubmit={ask} aria-label={t('Filters')}>
      <SimpleGrid maw={1200} cols={{ base: 2, md: 4 }} spacing="sm" verticalSpacing="sm">
        <Select
          label={t('Shown')}
          name="show"
          data={SHOWN}
          defaultValue={asked.get('show') ?? defaultShown(asked)}
          allowDeselect={false}
          comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        />
        <TextInput label={t('From')} name="from" type="date" defaultValue={asked.get('from') ?? ''} />
        <TextInput label={t('To')} name="to" type="date" defaultValue={asked.get('to') ?? ''} />
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
      </SimpleGrid>
      <Group gap="sm" mt="sm">
        <Button type="submit" leftSection={<IconSearch size={18} stroke={1.7} />}>
          {t('Show')}
        </Button>
        {asked.size > 0 && (
          <Button variant="default" component={Link} to="/admin/audit">
            {t('Clear the filter')}
          </Button>
        )}
        {children}
      </Group>
    </form>
  );
}
