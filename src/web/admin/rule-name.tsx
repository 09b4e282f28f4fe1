import { Text } from '@mantine/core';
import { t } from '../words/words.ts';
import { PolicyName } from './name-link.tsx';

/** The policy of a rule, and the rule's number in it, counted from 1. */
export function RuleName({ policy, number }: { policy: string; number: number }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        <PolicyName name={policy} />
      </Text>
      <Text size="xs" c="dimmed">
        {t('rule {number}', { number })}
      </Text>
    </div>
  );
}
