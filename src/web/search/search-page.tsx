import { Button, Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconSearch, IconTag } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { allBuckets } from '../api/queries.ts';
import { SearchRun } from '../api/search-run.ts';
import { FoundAnswer } from '../folder/found-answer.tsx';
import { visibleText } from '../names/visible.ts';
import { KIND_CHOICES } from '../objects/kind.ts';
import { baseName, type Place } from '../place/place.ts';
import { Page } from '../shell/page.tsx';
import { EmptyState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
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

const FORM = 'search';
const FILTER_WIDTH = { base: 'calc(50% - 5px)', sm: 160 };

/** The search page at `/search`, which finds names below a folder, in a bucket, or everywhere. The query is in the URL. */
export function SearchPage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const question = useMemo(() => questionOf(search), [search]);
  const [text, setText] = useDraft(question.text);
  const [tag, setTag] = useDraft(question.tag);
  const [asked, setAsked] = useState(0);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `asked` counts how often the same question was asked again
  const run = useMemo(() => runOf(question, client), [question, client, asked]);
  const grid = useRef<HTMLDivElement>(null);
  useEffect(() => {
    run?.comeBack();
    return () => run?.leave();
  }, [run]);
  const isNameless = tag.startsWith('=');
  const ask = (change: Partial<Question>): void => {
    if (!isNameless) void navigate(searchLink({ ...question, text, tag, ...change }), { replace: !isAsked(question) });
  };
  return (
    <Page title={t('Search')} fill>
      <form
        id={FORM}
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
          onChange={(event) => setText(event.currentTarget.value)}
          leftSection={<IconSearch size={18} />}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' || grid.current === null) return;
            event.preventDefault();
            grid.current.focus();
          }}
          maxLength={256}
          autoFocus
          spellCheck={false}
          autoComplete="off"
        />
        <Button type="submit">{t('Search')}</Button>
      </form>
      <Group gap="xs" mb="sm" align="flex-start">
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
        <TextInput
          size="xs"
          w={FILTER_WIDTH}
          form={FORM}
          aria-label={t('Tag')}
          placeholder={t('Tag, or tag=value')}
          leftSection={<IconTag size={14} />}
          error={isNameless && t('The name is missing')}
          value={tag}
          onChange={(event) => setTag(event.currentTarget.value)}
          maxLength={385}
          spellCheck={false}
          autoComplete="off"
        />
      </Group>
      {run === undefined ? (
        <EmptyState icon={IconSearch} title={t('What are you looking for?')}>
          {t('Type a part of a name or a tag, or choose a kind, a size or a time.')}
        </EmptyState>
      ) : (
        <FoundAnswer
          key={searchLink(question)}
          run={run}
          scope={searchLink(question)}
          text={question.text}
          gridRef={grid}
          onRefresh={() => {
            latest = undefined;
            setAsked(asked + 1);
          }}
        />
      )}
    </Page>
  );
}

/** Typed text that is not asked yet. When the text of the URL changes, as after Back, it replaces the typed text. */
function useDraft(asked: string): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState({ of: asked, text: asked });
  return [draft.of === asked ? draft.text : asked, (text) => setDraft({ of: asked, text })];
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
      w={FILTER_WIDTH}
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
