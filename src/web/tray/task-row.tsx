import { ActionIcon, Anchor, Group, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { formatBytes } from '../../format/byte-size.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { formatNumber } from '../format/format.ts';
import { t } from '../words/words.ts';
import type { TaskView } from '../work/task-board.ts';
import { tasks } from '../work/work.ts';
import { hasFailed } from './summary.ts';
import { openTaskResults } from './task-results.tsx';
import styles from './tray.module.css';

export function TaskRow({ task }: { task: TaskView }) {
  const { id, title, state, done, total, results } = task;
  const isOpen = state === 'running' || state === 'held';
  const failed = hasFailed(task);
  return (
    <div className={styles['task']}>
      <Group gap={6} wrap="nowrap">
        {!isOpen &&
          (failed ? (
            <IconAlertTriangle size={16} color="var(--mantine-color-error)" />
          ) : (
            <IconCheck size={16} color="var(--svc-accent)" />
          ))}
        <Text size="sm" truncate flex={1} title={title}>
          {title}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={isOpen ? t('Cancel: {title}', { title }) : t('Dismiss: {title}', { title })}
          onClick={() => (isOpen ? tasks.cancel(id) : tasks.dismiss(id))}
        >
          <IconX size={16} />
        </ActionIcon>
      </Group>
      {isOpen && (
        <Progress
          value={total === undefined ? 100 : (done / Math.max(total, 1)) * 100}
          animated={total === undefined}
          size={3}
          aria-label={title}
        />
      )}
      <Group gap="xs" wrap="nowrap">
        <Text size="xs" c={failed ? 'red' : 'dimmed'} className="tabular" flex={1} lineClamp={2}>
          {statusOf(task)}
        </Text>
        {!isOpen && results.length > 0 && (
          <Anchor component="button" size="xs" onClick={() => openTaskResults(task)}>
            {t('Results')}
          </Anchor>
        )}
      </Group>
    </div>
  );
}

function statusOf(task: TaskView): string {
  const { state, unit, done, total, failures, skipped, failure } = task;
  const amount =
    unit === 'bytes'
      ? formatBytes(done)
      : total === undefined
        ? formatNumber(done)
        : t('{done} of {total}', { done, total });
  const failed = failures > 0 ? ` · ${t('{count} failed', { count: failures })}` : '';
  switch (state) {
    case 'running':
      return unit === 'objects' && total === undefined ? t('Counting objects') : amount + failed;
    case 'held':
      return t('Waiting for you to sign in · {amount}', { amount });
    case 'done':
      return (
        t('Done · {amount}{failed}', { amount, failed }) +
        (skipped > 0 ? ` · ${t('{count} skipped', { count: skipped })}` : '')
      );
    case 'cancelled':
      return t('Cancelled · {amount}{failed}', { amount, failed });
    case 'failed':
      return `${failure ? explainFailure(failure) : t('Failed')} · ${amount}`;
  }
}
