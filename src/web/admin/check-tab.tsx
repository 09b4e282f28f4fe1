import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconScale } from '@tabler/icons-react';
import { useState, type SubmitEvent } from 'react';
import type { ActionName } from '../../wire/action-names.ts';
import type { ExplainRequest } from '../../wire/http.ts';
import { providersQuery } from '../api/queries.ts';
import { t } from '../words/words.ts';
import { ActionField, actionsIn } from './action-field.tsx';
import { ActionMatrix } from './action-matrix.tsx';
import { explanationQuery } from './admin-queries.ts';
import { useAsked } from './asked.ts';
import { ExplanationView } from './explanation-view.tsx';
import { LastGroupsNote, useGroupsToAsk, withGroups } from './last-groups.tsx';
import { Loaded } from './loaded.tsx';
import { PersonFields } from './person-fields.tsx';
import { BucketFields, faultsOfPlace, KeyFields, withEach, writtenIn, type PlaceFaults } from './place-fields.tsx';

/** Shows what a person may do in a place, and the rules behind it. The question is in the URL, so that the answer can be linked. */
export function CheckTab() {
  const { search, formKey, ask, askElsewhere } = useAsked();
  const question = questionIn(search);
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed" maw={640}>
        {t(
          'Shows what the service would decide for a person with these groups. The person need not exist. Nothing is changed, and storage is not accessed.',
        )}
      </Text>
      <QuestionForm key={formKey} asked={search} onAsk={ask} />
      {question?.subject !== undefined && (
        <LastGroupsNote
          person={{ ...question, subject: question.subject, groups: search.getAll('group') }}
          onGroups={(groups) => askElsewhere(withGroups(search, groups))}
        />
      )}
      {question !== undefined && <Answer question={question} actions={actionsIn(search)} />}
    </Stack>
  );
}

function questionIn(search: URLSearchParams): ExplainRequest | undefined {
  const [action, ...others] = actionsIn(search);
  const provider = search.get('provider');
  if (provider === null) return undefined;
  const given = Object.fromEntries(
    ['subject', 'issuer', 'bucket', 'prefix', 'key'].flatMap((name) =>
      search.has(name) ? [[name, search.get(name) ?? '']] : [],
    ),
  );
  return {
    ...given,
    groups: search.getAll('group'),
    ...(action !== undefined && others.length === 0 && { action }),
    provider,
  };
}

function Answer({ question, actions }: { question: ExplainRequest; actions: readonly ActionName[] }) {
  const query = useQuery(explanationQuery(question));
  return (
    <Loaded query={query}>
      {(explanation) =>
        question.action === undefined ? (
          <ActionMatrix question={question} actions={actions} explanation={explanation} />
        ) : (
          <ExplanationView question={question} explanation={explanation} />
        )
      }
    </Loaded>
  );
}

type FormProps = { readonly asked: URLSearchParams; readonly onAsk: (search: URLSearchParams) => void };

function QuestionForm({ asked, onAsk }: FormProps) {
  const { data: providers, isPending } = useQuery(providersQuery);
  const [groups, setGroups] = useState(asked.getAll('group'));
  const [actions, setActions] = useState(actionsIn(asked));
  const [faults, setFaults] = useState<PlaceFaults>({});
  const groupsToAsk = useGroupsToAsk(asked);

  // The first provider is the default value, which a form field reads only once.
  if (isPending) return null;

  async function ask(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const next = writtenIn(event.currentTarget);
    const found = faultsOfPlace(event.currentTarget, next, actions.length === 1 ? actions : []);
    setFaults(found ?? {});
    if (found !== undefined) return;
    const counted = await groupsToAsk(next, groups);
    setGroups([...counted]);
    onAsk(withEach(withGroups(next, counted), 'action', actions));
  }

  return (
    <form onSubmit={(event) => void ask(event)} aria-label={t('Question')}>
      <Stack gap="sm" maw={960}>
        <SimpleGrid cols={{ base: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
          <PersonFields asked={asked} groups={groups} onGroups={setGroups} />
          <ActionField actions={actions} onChange={setActions} placeholder={t('Every action')} />
          <BucketFields asked={asked} faults={faults} providers={providers} />
        </SimpleGrid>
        <KeyFields asked={asked} faults={faults}>
          <Button type="submit" leftSection={<IconScale size={18} stroke={1.7} />}>
            {t('Check')}
          </Button>
        </KeyFields>
      </Stack>
    </form>
  );
}
