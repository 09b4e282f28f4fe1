import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { IconUsers } from '@tabler/icons-react';
import { useState, type SubmitEvent } from 'react';
import type { ActionName } from '../../wire/action-names.ts';
import { providersQuery } from '../api/queries.ts';
import { t } from '../words/words.ts';
import { ActionField, actionsIn } from './action-field.tsx';
import { whoQuery, type WhoQuestion } from './admin-queries.ts';
import { useAsked } from './asked.ts';
import { Loaded } from './loaded.tsx';
import { NarrowerPlaces } from './narrower-places.tsx';
import { moreOf } from './paged.ts';
import { placeOf } from './place-of.ts';
import { BucketFields, faultsOfPlace, KeyFields, withEach, writtenIn, type PlaceFaults } from './place-fields.tsx';
import { ShowMore } from './show-more.tsx';
import { WhoAnswer } from './who-answer.tsx';

/** Shows who may do an action in a place, and the bindings and rules behind it. The question is in the URL, so that the answer can be linked. */
export function WhoTab() {
  const { search, formKey, ask } = useAsked();
  const questions = questionsIn(search);
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed" maw={640}>
        {t(
          'Lists every group and person for whom a rule allows or denies the action. For a bucket or a folder, the answer is about an object in it to which no narrower rule applies, such as a new one. Storage is not accessed.',
        )}
      </Text>
      <QuestionForm key={formKey} asked={search} onAsk={ask} />
      {questions.map((question) => (
        <Answers key={question.action} question={question} />
      ))}
    </Stack>
  );
}

const FIRST_ACTION: ActionName = 'objects:get';

/** The questions in the URL, one for each action. */
function questionsIn(search: URLSearchParams): readonly WhoQuestion[] {
  const provider = search.get('provider');
  return provider === null ? [] : askedActions(search).map((action) => questionAbout(action, provider, search));
}

function askedActions(search: URLSearchParams): readonly ActionName[] {
  const actions = actionsIn(search);
  return actions.length === 0 ? [FIRST_ACTION] : actions;
}

function questionAbout(action: ActionName, provider: string, search: URLSearchParams): WhoQuestion {
  const given = Object.fromEntries(
    ['bucket', 'prefix', 'key'].flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : [])),
  );
  const inBucket = action.startsWith('objects:') && search.has('bucket') && !search.has('key');
  return { ...(inBucket && { prefix: '' }), ...given, action, provider };
}

function Answers({ question }: { question: WhoQuestion }) {
  const query = useInfiniteQuery(whoQuery(question));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <Stack gap="lg">
          {pages[0]?.answers.map(
            ({ action, unnamed, taken_for: takenFor, everybody, keys, keys_left_out: keysLeftOut }, i) => (
              <WhoAnswer
                key={i}
                action={action}
                place={placeOf({ ...question, ...takenFor })}
                isTakenFor={takenFor !== undefined}
                isUnnamed={unnamed}
                everybody={everybody}
                holders={pages.flatMap(({ answers }) => answers[i]?.holders ?? [])}
                isWhole={!query.hasNextPage}
                keys={keys}
                keysLeftOut={keysLeftOut}
              />
            ),
          )}
          <ShowMore more={moreOf(query)} />
          <NarrowerPlaces
            question={question}
            actions={
              pages[0]?.answers.flatMap(({ action, unnamed, everybody }) => (unnamed && !everybody ? [action] : [])) ??
              []
            }
          />
        </Stack>
      )}
    </Loaded>
  );
}

function QuestionForm({
  asked,
  onAsk,
}: {
  readonly asked: URLSearchParams;
  readonly onAsk: (search: URLSearchParams) => void;
}) {
  const { data: providers, isPending } = useQuery(providersQuery);
  const [actions, setActions] = useState(askedActions(asked));
  const [faults, setFaults] = useState<PlaceFaults>({});

  // The first provider is the default value, which a form field reads only once.
  if (isPending) return null;

  function ask(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const next = withEach(writtenIn(event.currentTarget), 'action', actions);
    const found = faultsOfPlace(event.currentTarget, next, askedActions(next));
    setFaults(found ?? {});
    if (found === undefined) onAsk(next);
  }

  return (
    <form onSubmit={ask} aria-label={t('Question')}>
      <Stack gap="sm" maw={960}>
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="sm" verticalSpacing="sm">
          <ActionField actions={actions} onChange={setActions} placeholder={FIRST_ACTION} />
          <BucketFields asked={asked} faults={faults} providers={providers} />
        </SimpleGrid>
        <KeyFields asked={asked} faults={faults}>
          <Button type="submit" leftSection={<IconUsers size={18} stroke={1.7} />}>
            {t('Show who')}
          </Button>
        </KeyFields>
      </Stack>
    </form>
  );
}
