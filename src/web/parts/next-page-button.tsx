import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { t } from '../words/words.ts';

/** A small button below a list of the details, which loads its next page, if there is one. */
export function NextPageButton({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}) {
  if (!hasNextPage) return null;
  return (
    <Button
      mt="xs"
      size="compact-sm"
      variant="default"
      loading={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
    >
      {t('Show more')}
    </Button>
  );
}
