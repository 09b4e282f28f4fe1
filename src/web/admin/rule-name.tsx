import { Text } from '@mantine/core';
import { t } from '../words/words.ts';

/** The policy of a rule, and the rule's number in it, counted from 1. */
export function RuleName({ policy, number, source }: { policy: string; number: number; source?: string }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {policy}
      </Text>
      <Text size="xs" c="dimmed">
        {t('rule {number}', { number })}
        {source !== undefined && ` · ${source}`}
      </Text>
    </div>
  );
}
