import { Skeleton, Stack } from '@mantine/core';
import { t } from '../words/words.ts';

/** The placeholder of a page while its code is loading. */
export function PageLoading() {
  return (
    <Stack p="lg" gap="md" role="status" aria-label={t('Loading')}>
      <Skeleton h={28} w={220} />
      <Skeleton h={96} />
      <Skeleton h={96} />
    </Stack>
  );
}
