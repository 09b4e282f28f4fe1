import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import type { Listing } from './use-listing.ts';
import type { RowSelection } from './use-selection.ts';

/** Stands beneath the selection when all that is loaded is selected and there is more: says so, and selects the rest too. */
export function SelectRest({ listing, selection, filtered }: { listing: Listing; selection: RowSelection; filtered: boolean }) {
  const { rows, complete, loadingAll, loadAll, stopLoading } = listing;
  const [asked, setAsked] = useState(false);
  const isLoading = asked && loadingAll;
  const isWhole = asked && complete;
  useEffect(() => {
    if (isWhole) selection.add(rows);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the last of them arrived: what is given back later stays so
  }, [isWhole]);
  if (!isLoading && (complete !== isWhole || !isAllChosen(rows, selection))) return null;
  const count = { count: rows.length };
  const all = filtered ? t('All {count} that match in this folder are selected.', count) : t('All {count} in this folder are selected.', count);
  const allLoaded = filtered ? t('All {count} loaded that match are selected.', count) : t('All {count} loaded are selected.', count);
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
          {isLoading ? t('Stop') : filtered ? t('Select all that match in this folder') : t('Select all in this folder')}
        </Button>
      )}
    </div>
  );
}

/** Whether every row is selected. Rows that the filter hides may be selected besides. */
export function isAllChosen(rows: readonly { readonly key: string }[], { chosen }: RowSelection): boolean {
  return rows.length > 0 && chosen.size >= rows.length && rows.every(({ key }) => chosen.has(key));
}
