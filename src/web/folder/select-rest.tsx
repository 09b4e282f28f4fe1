import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { idOf, type Entry } from '../objects/entry.ts';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import type { Listing } from './use-listing.ts';
import type { RowSelection } from './use-selection.ts';

/** Offers to load and select the rest of the folder, if all loaded rows are selected and there are more. */
export function SelectRest({
  listing,
  selection,
  filtered,
}: {
  listing: Listing;
  selection: RowSelection;
  filtered: boolean;
}) {
  const { rows, complete, loadingAll, loadAll, stopLoading } = listing;
  const [asked, setAsked] = useState(false);
  const isLoading = asked && loadingAll;
  const isWhole = asked && complete;
  useEffect(() => {
    if (isWhole) selection.add(rows);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it runs once, when the last rows have arrived, so that rows that the user deselects later stay deselected
  }, [isWhole]);
  if (!isLoading && (complete !== isWhole || !isAllChosen(rows, selection))) return null;
  const count = { count: rows.length };
  const all = filtered
    ? t('All {count} matches in this folder are selected.', count)
    : t('All {count} items in this folder are selected.', count);
  const allLoaded = filtered
    ? t('All {count} loaded matches are selected.', count)
    : t('All {count} loaded items are selected.', count);
  return (
    <div className={classes.reach}>
      <Text size="sm" c="dimmed" className="tabular" role="status">
        {isLoading ? t('Loading the rest: {loaded} so far…', { loaded: listing.loaded }) : isWhole ? all : allLoaded}
      </Text>
      {!isWhole && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            setAsked(!isLoading);
            if (isLoading) stopLoading();
            else loadAll();
          }}
        >
          {isLoading
            ? t('Stop loading')
            : filtered
              ? t('Select all matches in this folder')
              : t('Select all in this folder')}
        </Button>
      )}
    </div>
  );
}

/** Whether every row is selected. Rows that the filter hides may be selected too. */
export function isAllChosen(rows: readonly Entry[], { chosen }: RowSelection): boolean {
  return rows.length > 0 && chosen.size >= rows.length && rows.every((row) => chosen.has(idOf(row)));
}
