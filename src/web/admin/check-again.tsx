import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../words/words.ts';

/** Says what the answer below is, beside a button that asks for it again. */
export function CheckAgain({
  query,
  children,
}: {
  query: Pick<UseQueryResult, 'isFetching' | 'refetch'>;
  children: ReactNode;
}) {
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" maw={640}>
        {children}
      </Text>
      <Button
        variant="default"
        leftSection={<IconRefresh size={18} />}
        loading={query.isFetching}
        onClick={() => void query.refetch()}
      >
        {t('Check again')}
      </Button>
    </Group>
  );
}
