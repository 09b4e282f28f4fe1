import { Button, Group } from '@mantine/core';
import { t } from '../words/words.ts';
import type { More } from './paged.ts';

/** A button that loads the next page of a list, if there is one. */
export function ShowMore({ more: { hasMore, isLoading, load } }: { readonly more: More }) {
  if (!hasMore) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={isLoading} onClick={load}>
        {t('Show more')}
      </Button>
    </Group>
  );
}
