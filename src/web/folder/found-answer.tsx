import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconSearch } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { useStore } from 'zustand';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import type { Results, SearchRun } from '../api/search-run.ts';
import { visibleText } from '../names/visible.ts';
import { Note } from '../shell/stale-note.tsx';
import { EmptyState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import classes from './folder-page.module.css';
import { FoundRows } from './found-rows.tsx';
import { RefreshButton } from './toolbar.tsx';

/** The answer to a search while it runs and afterwards: how far it got, what could not be searched, and the rows. @param scope - identifies the search. */
export function FoundAnswer({
  run,
  scope,
  text,
  gridRef,
  onRefresh,
}: {
  run: SearchRun;
  scope: string;
  text: string;
  gridRef: RefObject<HTMLDivElement | null>;
  onRefresh: () => void;
}) {
  const results = useStore(run.results);
  const { state, found, unread } = results;
  const isRunning = state === 'running';
  const head = (
    <Group gap="xs" mb="xs" className={classes.answerState}>
      <Text size="sm" c="dimmed" className="tabular" role="status" aria-live={isRunning ? 'off' : 'polite'}>
        {summary(results)}
      </Text>
      {(isRunning || state === 'stopped' || state === 'enough') && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={isRunning ? <IconPlayerStop size={15} /> : <IconPlayerPlay size={15} />}
          onClick={() => (isRunning ? run.stop() : run.goOn())}
        >
          {isRunning ? t('Stop') : t('Continue')}
        </Button>
      )}
      <RefreshButton loading={isRunning} onRefresh={onRefresh} />
    </Group>
  );
  return (
    <div className={classes.answer}>
      {state === 'done' &&
        unread.map(({ place, error }) => (
          <Note
            key={`${place?.provider} ${place?.bucket}`}
            text={`${place === undefined ? t('The storage could not be searched.') : t('“{bucket}” could not be searched.', { bucket: visibleText(place.bucket) })} ${explainFailure(failureOf(error))}`}
            onRetry={() => run.goOn()}
          />
        ))}
      <FoundRows found={found} isRunning={isRunning} scope={scope} text={text} head={head} gridRef={gridRef} />
      {state === 'done' && found.length === 0 && unread.length === 0 && (
        <EmptyState icon={IconSearch} title={t('Nothing was found')}>
          {t(
            'Everything that you may see there was searched. Try a shorter part of the name, fewer filters, or another place.',
          )}
        </EmptyState>
      )}
    </div>
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
