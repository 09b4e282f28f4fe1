import { Anchor, Button, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { folderOf, placeLink, type Place } from '../place/place.ts';
import { plural, t } from '../words/words.ts';
import classes from './folder-page.module.css';
import type { Sort } from './sort.ts';
import type { Listing } from './use-listing.ts';

/** Shows the number of rows. If the listing is incomplete, it says so and offers to load the rest. */
export function LoadedNote({
  place,
  listing,
  filter,
  sort,
  onComplete,
}: {
  place: Place;
  listing: Listing;
  filter: string;
  sort: Sort;
  onComplete: () => void;
}) {
  const { rows, loaded, complete, loadingAll, loadAll, stopLoading, pending, error } = listing;
  const asked = useRef(false);
  useEffect(() => {
    // The focused button has disappeared, so move the focus to the rows.
    if (asked.current && complete && document.activeElement === document.body) onComplete();
    asked.current = loadingAll;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it runs when loading ends, not when the callback changes
  }, [complete, loadingAll]);
  if (pending || (error !== null && loaded === 0)) return null;
  const items = plural(loaded, '{count} item', '{count} items');
  const countText = filter === '' ? items : t('{count} of {items}', { count: rows.length, items });
  const text = complete
    ? countText
    : sort.column === 'name' && !sort.descending
      ? t('{items} loaded so far, in the order of storage', { items: countText })
      : t('{items} loaded so far, and sorted', { items: countText });
  return (
    <Group gap="xs" className={classes.note} wrap="wrap">
      <Text size="sm" c="dimmed" className="tabular" role="status">
        {text}
      </Text>
      {!complete && (
        <Button size="compact-xs" variant="subtle" onClick={loadingAll ? stopLoading : loadAll}>
          {loadingAll ? t('Stop loading') : t('Load all')}
        </Button>
      )}
      {filter !== '' && !complete && (
        <Anchor component={Link} size="xs" to={placeLink({ ...place, prefix: folderOf(place.prefix) + filter })}>
          {t('Search all names that start with “{filter}”', { filter })}
        </Anchor>
      )}
    </Group>
  );
}
