import { Button, Group, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconPlayerPlay, IconPlayerStop, IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useStore } from 'zustand';
import { allBuckets } from '../api/queries.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { SearchRun, type Results } from '../api/search-run.ts';
import { failureOf } from '../../transfer/failure.ts';
import { visibleText } from '../names/visible.ts';
import { KIND_CHOICES } from '../objects/kind.ts';
import { baseName, type Place } from '../place/place.ts';
import { Page } from '../shell/page.tsx';
import { EmptyState } from '../shell/states.tsx';
import { Note } from '../shell/stale-note.tsx';
import { plural, t } from '../words/words.ts';
import { FoundList } from './found-list.tsx';
import {
  AGES,
  isAsked,
  queryOf,
  questionOf,
  searchLink,
  SIZES,
  type Question,
  type Reach,
} from '../place/search-question.ts';
import classes from './search.module.css';

const SHOWN = 500;

/** The search page at `/search`, which finds names below a folder, in a bucket, or everywhere. The query is in the URL. */
export function SearchPage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const question = useMemo(() => questionOf(search), [search]);
  const [draft, setDraft] = useState({ of: question.text, text: question.text });
  // After Back, the text of the URL replaces the typed text.
  const text = draft.of === question.text ? draft.text : question.text;
  const run = useMemo(() => runOf(question, client), [question, client]);
  useEffect(() => {
    run?.comeBack();
    return () => run?.leave();
  }, [run]);
  const ask = (change: Partial<Question>): void =>
    void navigate(searchLink({ ...question, text, ...change }), { replace: !isAsked(question) });
  return (
    <Page title={t('Search')}>
      <form
        className={classes.ask}
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          ask({});
        }}
      >
        <TextInput
          className={classes.text}
          aria-label={t('Search')}
          placeholder={t('A part of a name, or of a path such as 2025/summer')}
          value={text}
          onChange={(event) => setDraft({ of: question.text, text: event.currentTarget.value })}
          leftSection={<IconSearch size={18} />}
          maxLength={256}
          autoFocus
          spellCheck={false}
          autoComplete="off"
        />
        <Button type="submit">{t('Search')}</Button>
      </form>
      <Group gap="xs" mb="sm">
        {question.from !== undefined && (
          <SegmentedControl
            size="xs"
            aria-label={t('Where to search')}
            data={reachesOf(question.from)}
            value={question.reach}
            onChange={(reach) => ask({ reach: reach as Reach })}
          />
        )}
        <Choice label={t('Any kind')} choices={KIND_CHOICES} value={question.kind} onChange={(kind) => ask({ kind })} />
        <Choice
          label={t('Any size')}
          choices={labelsOf(SIZES)}
          value={question.size}
          onChange={(size) => ask({ size })}
        />
        <Choice
          label={t('Any time')}
          choices={labelsOf(AGES)}
          value={question.changed}
          onChange={(changed) => ask({ changed })}
        />
      </Group>
      {run === undefined ? (
        <EmptyState icon={IconSearch} title={t('What are you looking for?')}>
          {t('Type a part of a name, or choose a kind, a size or a time.')}
        </EmptyState>
      ) : (
        <Answer key={searchLink(question)} run={run} />
      )}
    </Page>
  );
}

function Answer({ run }: { run: SearchRun }) {
  const results = useStore(run.results);
  const { state, found, unread } = results;
  const [visibleCount, setVisibleCount] = useState(SHOWN);
  return (
    <>
      <Group gap="xs" mb="xs" className={classes.state}>
        <Text size="sm" c="dimmed" className="tabular" role="status" aria-live={state === 'running' ? 'off' : 'polite'}>
          {summary(results)}
        </Text>
        {state === 'running' && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlayerStop size={15} />}
            onClick={() => run.stop()}
          >
            {t('Stop')}
          </Button>
        )}
        {(state === 'stopped' || state === 'enough') && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlayerPlay size={15} />}
            onClick={() => run.goOn()}
          >
            {t('Continue')}
          </Button>
        )}
      </Group>
      {state === 'done' &&
        unread.map(({ place, error }) => (
          <Note
            key={`${place?.provider} ${place?.bucket}`}
            text={`${place === undefined ? t('The storage could not be searched.') : t('“{bucket}” could not be searched.', { bucket: visibleText(place.bucket) })} ${explainFailure(failureOf(error))}`}
            onRetry={() => run.goOn()}
          />
        ))}
      {found.length > 0 && <FoundList found={found.slice(0, visibleCount)} />}
      {found.length > visibleCount && (
        <Button variant="default" mt="sm" onClick={() => setVisibleCount(visibleCount + SHOWN)}>
          {t('Show {count} more', { count: Math.min(SHOWN, found.length - visibleCount) })}
        </Button>
      )}
      {state === 'done' && found.length === 0 && unread.length === 0 && (
        <EmptyState icon={IconSearch} title={t('Nothing was found')}>
          {t(
            'Everything that you may see there was searched. Try a shorter part of the name, fewer filters, or another place.',
          )}
        </EmptyState>
      )}
    </>
  );
}

function summary({ state, found, seen }: Results): string {
  const names = { found: found.length };
  const text =
    state === 'running'
      ? plural(
          seen,
          '{found} found so far, {count} name searched',
          '{found} found so far, {count} names searched',
          names,
        )
      : plural(seen, '{found} found, {count} name searched', '{found} found, {count} names searched', names);
  if (state === 'enough') return `${text}. ${t('There is more')}`;
  return state === 'stopped' ? `${text}. ${t('Not everything was searched')}` : text;
}

function Choice({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly { readonly value: string; readonly label: string }[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <Select
      size="xs"
      w={{ base: 'calc(50% - 5px)', sm: 170 }}
      aria-label={label}
      placeholder={label}
      data={choices}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      clearable
      clearButtonProps={{ 'aria-label': label }}
    />
  );
}

function labelsOf(limits: Readonly<Record<string, { readonly label: string }>>) {
  return Object.entries(limits).map(([value, { label }]) => ({ value, label }));
}

function reachesOf({ bucket, prefix }: Place) {
  return [
    ...(prefix === '' ? [] : [{ value: 'folder', label: t('In {place}', { place: visibleText(baseName(prefix)) }) }]),
    { value: 'bucket', label: t('In {place}', { place: visibleText(bucket) }) },
    { value: 'everywhere', label: t('Everywhere') },
  ];
}

/** The latest search, which is kept so that Back from a result does not search again. */
let latest: { readonly link: string; readonly run: SearchRun } | undefined;

function runOf(question: Question, client: QueryClient): SearchRun | undefined {
  if (!isAsked(question)) return undefined;
  const link = searchLink(question);
  if (latest?.link !== link || latest.run.results.getState().unread.length > 0)
    latest = { link, run: new SearchRun(queryOf(question, Date.now()), () => placesOf(question, client)) };
  return latest.run;
}

async function placesOf({ reach, from }: Question, client: QueryClient): Promise<readonly Place[]> {
  if (from !== undefined && reach !== 'everywhere') return [reach === 'folder' ? from : { ...from, prefix: '' }];
  return allBuckets(client);
}
