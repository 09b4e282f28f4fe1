import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState, type SubmitEvent } from 'react';
import { useSearchParams } from 'react-router';
import { Name } from '../names/name.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { viewQuery, type ViewQuestion } from './admin-queries.ts';
import classes from './view-as-tab.module.css';
import { LastGroupsNote, useGroupsToAsk, withGroups } from './last-groups.tsx';
import { Loaded } from './loaded.tsx';
import { PersonFields } from './person-fields.tsx';
import { PersonView } from './person-view.tsx';

const NOTHING_ASKED = new URLSearchParams();

/** Shows what a person would see according to the policies. The person is in the URL. */
export function ViewAsTab() {
  const [search, setSearch] = useSearchParams();
  const subject = search.get('subject');
  if (subject === null) return <Choice onChoose={setSearch} />;
  const issuer = search.get('issuer');
  return (
    <View
      person={{ subject, groups: search.getAll('group'), ...(issuer !== null && { issuer }) }}
      onGroups={(groups) => setSearch(withGroups(search, groups))}
      onLeave={() => setSearch({})}
    />
  );
}

function View({
  person,
  onGroups,
  onLeave,
}: {
  person: ViewQuestion;
  onGroups: (groups: readonly string[]) => void;
  onLeave: () => void;
}) {
  const query = useQuery(viewQuery(person));
  const subject = (
    <strong>
      <Name>{person.subject}</Name>
    </strong>
  );
  return (
    <Stack gap="lg">
      <Alert color="yellow" icon={<IconEye />} className={classes.banner} role="status" aria-label={t('View as')}>
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            {person.groups.length === 0
              ? rich('This is what {person} would see.', { person: subject })
              : rich('This is what {person} would see, with the groups {groups}.', {
                  person: subject,
                  groups: person.groups.join(', '),
                })}{' '}
            {t('It is based on the policies. Storage was not accessed, and you cannot change anything here.')}
          </Text>
          <Button variant="default" leftSection={<IconEyeOff size={18} />} onClick={onLeave}>
            {t('Leave this view')}
          </Button>
        </Group>
      </Alert>
      <LastGroupsNote person={person} onGroups={onGroups} />
      <Loaded query={query}>{(view) => <PersonView view={view} />}</Loaded>
    </Stack>
  );
}

function Choice({ onChoose }: { onChoose: (search: URLSearchParams) => void }) {
  const [groups, setGroups] = useState<string[]>([]);
  const groupsToAsk = useGroupsToAsk(NOTHING_ASKED);

  async function choose(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const next = new URLSearchParams();
    for (const [name, value] of new FormData(event.currentTarget))
      if (typeof value === 'string' && value !== '') next.set(name, value);
    if (next.has('subject')) onChoose(withGroups(next, await groupsToAsk(next, groups)));
  }

  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed" maw={640}>
        {t(
          'Shows what a person sees: the providers, the buckets and folders that the configuration and the policies name, and the buttons there. Storage is not accessed. The audit records that you looked.',
        )}
      </Text>
      <form onSubmit={(event) => void choose(event)} aria-label={t('Person')}>
        <Stack gap="sm" maw={960}>
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" verticalSpacing="sm">
            <PersonFields asked={NOTHING_ASKED} groups={groups} onGroups={setGroups} required />
          </SimpleGrid>
          <Group>
            <Button type="submit" leftSection={<IconEye size={18} stroke={1.7} />}>
              {t('View as this person')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
