import { Button, Group, List, Loader, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { explainFailure } from '../api/explain-failure.ts';
import { failureOf } from '../../transfer/failure.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import { peopleInGroupQuery } from './admin-queries.ts';
import { Person } from './person.tsx';

const MAX_SHOWN = 20;

/** A group, which opens to the people who are known to be in it. */
export function GroupPeople({ group }: { group: string }) {
  const [isOpen, setOpen] = useState(false);
  const list = useId();
  return (
    <div>
      <Text size="sm" fw={600}>
        <Name>{group}</Name>
      </Text>
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          {t('Group')}
        </Text>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-expanded={isOpen}
          aria-controls={list}
          aria-label={t('Known people in {group}', { group: visibleText(group) })}
          rightSection={isOpen ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
          onClick={() => setOpen(!isOpen)}
        >
          {t('Known people')}
        </Button>
      </Group>
      <div id={list}>{isOpen && <People group={group} />}</div>
    </div>
  );
}

function People({ group }: { group: string }) {
  const { data, error } = useQuery(peopleInGroupQuery(group));
  if (error !== null) return <Text size="xs">{explainFailure(failureOf(error))}</Text>;
  if (data === undefined) return <Loader size="xs" aria-label={t('Loading')} />;
  const { people, isWhole } = data;
  const left = people.length - MAX_SHOWN;
  return (
    <>
      <Text size="xs" c="dimmed">
        {people.length === 0
          ? t('Nobody in this group is known: svc knows only people who signed in lately.')
          : t('People who signed in lately with this group. Others may be in it too.')}
      </Text>
      <List listStyleType="none" spacing={4} mt={4}>
        {people.slice(0, MAX_SHOWN).map(({ name, subject, issuer }) => (
          <List.Item key={JSON.stringify([issuer, subject])}>
            <Person name={name} subject={subject} issuer={issuer} />
          </List.Item>
        ))}
      </List>
      {left > 0 && (
        <Text size="xs">
          {isWhole ? t('and {count} more', { count: left }) : t('and more than {count} more', { count: left })}
        </Text>
      )}
    </>
  );
}
