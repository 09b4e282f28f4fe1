import { SegmentedControl, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { openDialog } from '../actions/dialog.tsx';
import { explainFailure } from '../api/explain-failure.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import type { KeyResult, TaskView } from '../work/task-board.ts';

const ROW_PX = 44;

/** Shows the result of a task for every key. */
export function openTaskResults(task: TaskView): void {
  openDialog(task.title, () => <TaskResults task={task} />, 'lg');
}

function TaskResults({ task }: { task: TaskView }) {
  const [filter, setFilter] = useState(task.failures > 0 ? 'failed' : 'all');
  const results = filter === 'failed' ? task.results.filter(({ failure }) => failure) : task.results;
  return (
    <Stack gap="sm">
      {task.failures > 0 && (
        <SegmentedControl
          aria-label={t('Which results to show')}
          value={filter}
          onChange={setFilter}
          data={[
            { value: 'failed', label: t('Failed ({count})', { count: task.failures }) },
            { value: 'all', label: t('All ({count})', { count: task.results.length }) },
          ]}
        />
      )}
      <Results results={results} />
    </Stack>
  );
}

function Results({ results }: { results: readonly KeyResult[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: results.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  return (
    <div
      ref={scroller}
      style={{ height: Math.min(results.length * ROW_PX, 400), overflow: 'auto' }}
      tabIndex={0}
      role="group"
      aria-label={t('Results')}
    >
      <ul style={{ position: 'relative', height: rows.getTotalSize(), margin: 0, padding: 0, listStyle: 'none' }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <li
            key={index}
            style={{
              position: 'absolute',
              insetInline: 0,
              height: ROW_PX,
              transform: `translateY(${start}px)`,
              display: 'flex',
              gap: 8,
              alignItems: 'center',
            }}
          >
            <ResultRow result={results[index]!} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ResultRow({ result: { key, failure } }: { result: KeyResult }) {
  return (
    <>
      {failure ? (
        <IconAlertTriangle size={18} color="var(--mantine-color-error)" aria-label={t('Failed')} />
      ) : (
        <IconCheck size={18} color="var(--svc-accent)" aria-label={t('Done')} />
      )}
      <div style={{ minWidth: 0 }}>
        <Text size="sm" truncate title={visibleText(key)} component="div">
          <Name cut>{key}</Name>
        </Text>
        {failure && (
          <Text size="xs" c="red" truncate title={explainFailure(failure)}>
            {explainFailure(failure)}
          </Text>
        )}
      </div>
    </>
  );
}
