import { Button, Group, Text } from '@mantine/core';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { plural, t } from '../words/words.ts';
import classes from './folder-page.module.css';
import type { Deleted } from './use-deleted.ts';

/** How much of what was deleted is shown. The listing of versions is read page by page, and only on request. */
export function DeletedNote({
  deleted: { show, pending, loading, error, hasMore, loadMore, retry },
  count,
  toGrid,
}: {
  deleted: Deleted;
  /** The number of deleted rows. */
  count: number;
  toGrid: () => void;
}) {
  const shown = plural(count, '{count} deleted item is shown.', '{count} deleted items are shown.');
  return (
    <Group gap="xs" className={classes.reach}>
      <Text size="sm" c="dimmed" className="tabular" role={error === null ? 'status' : 'alert'}>
        {error !== null
          ? t('What was deleted could not be loaded. {reason}', { reason: explainFailure(failureOf(error)) })
          : pending
            ? t('Looking for what was deleted…')
            : hasMore
              ? t('{shown} There may be more.', { shown })
              : count === 0
                ? t('Nothing that was deleted here is kept.')
                : shown}
      </Text>
      {error !== null && (
        <Button size="compact-sm" variant="subtle" onClick={retry}>
          {t('Try again')}
        </Button>
      )}
      {error === null && hasMore && (
        <Button size="compact-sm" variant="subtle" loading={loading} onClick={loadMore}>
          {t('Show more')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => {
          show(false);
          toGrid();
        }}
      >
        {t('Hide deleted')}
      </Button>
    </Group>
  );
}
