import { Group } from '@mantine/core';
import type { RefObject } from 'react';
import { useNavigate } from 'react-router';
import type { Selection } from '../actions/action.ts';
import { formatNumber } from '../format/format.ts';
import { folderOf, placeLink } from '../place/place.ts';
import { searchFrom } from '../place/search-question.ts';
import { t } from '../words/words.ts';
import { Crumbs } from './crumbs.tsx';
import { FilterBox } from './filter-box.tsx';
import classes from './folder-page.module.css';
import { LoadedNote } from './loaded-note.tsx';
import { SelectRest } from './select-rest.tsx';
import { ShowDeletedItem } from './menu-parts.ts';
import { DeletedNote } from './show-deleted.tsx';
import { sizeOf } from './selected.ts';
import { ActionButtons, RefreshButton, SearchButton, SelectionBar, SortMenu, ViewMenu } from './toolbar.tsx';
import type { Deleted } from './use-deleted.ts';
import type { FolderActions } from './use-folder-actions.ts';
import type { FolderUrl } from './use-folder-url.ts';
import type { Listing } from './use-listing.ts';
import { useNarrow } from './use-narrow.ts';
import type { RowSelection } from './use-selection.ts';
import type { View } from './view.ts';

type Properties = {
  readonly url: FolderUrl;
  readonly listing: Listing;
  readonly deleted: Deleted;
  /** Whether a filter hides some rows. */
  readonly isFiltered: boolean;
  readonly selection: RowSelection;
  readonly chosen: Selection;
  readonly actions: FolderActions;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly onRefresh: () => void;
  readonly toGrid: () => void;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  /** `gone`: the bucket does not exist. `denied`: the user may not list anything in the folder. */
  readonly state: 'open' | 'denied' | 'gone';
};

/** The head of a folder page: the breadcrumbs, the actions of the folder, and below them the actions of the selection, or the filter and the views. */
export function FolderHead(properties: Properties) {
  const { url, actions, chosen, state, deleted, listing, toGrid } = properties;
  const isChosen = chosen.entries.length > 0;
  // On a narrow screen the selection bar is at the bottom, so the filter and the views stay.
  const isNarrow = useNarrow();
  return (
    <header className={classes.head}>
      <Crumbs key={placeLink(url.place)} place={url.place} sort={url.sort}>
        {state !== 'gone' && (
          <ActionButtons
            offers={actions.here}
            around={actions.around}
            primary
            label={t('More actions on this folder')}
          />
        )}
      </Crumbs>
      {state === 'open' && (!isChosen || isNarrow) && <OnRows {...properties} />}
      {state === 'open' && isChosen && <OnSelection {...properties} />}
      {state === 'open' && deleted.isShown && <DeletedNote deleted={deleted} count={listing.deleted} toGrid={toGrid} />}
    </header>
  );
}

function OnSelection({ url, listing, isFiltered, selection, chosen, actions, toGrid }: Properties) {
  return (
    <>
      <SelectionBar
        count={formatNumber(chosen.entries.length)}
        size={sizeOf(chosen.entries)}
        onClear={() => {
          selection.clear();
          toGrid();
        }}
      >
        <ActionButtons
          offers={actions.on(chosen)}
          around={actions.around}
          small
          label={t('More actions on the selection')}
        />
      </SelectionBar>
      <SelectRest key={placeLink(url.place)} listing={listing} selection={selection} filtered={isFiltered} />
    </>
  );
}

function OnRows({
  url: { place, sort, filter, setSort, setFilter },
  listing,
  deleted,
  view,
  onView,
  onRefresh,
  toGrid,
  filterRef,
}: Properties) {
  const navigate = useNavigate();
  const inFolder = { ...place, prefix: folderOf(place.prefix) };
  return (
    <Group gap="xs" className={classes.tools} wrap="nowrap">
      <FilterBox
        key={placeLink(place)}
        initial={filter}
        onFilter={setFilter}
        onLeave={toGrid}
        onSearch={(text) => void navigate(searchFrom(inFolder, text))}
        inputRef={filterRef}
      />
      <SearchButton to={searchFrom(inFolder, filter)} />
      <SortMenu sort={sort} view={view} onSort={setSort} />
      <ViewMenu view={view} onView={onView}>
        {deleted.mayShow && <ShowDeletedItem place={place} deleted={deleted} />}
      </ViewMenu>
      <RefreshButton loading={listing.loading && !listing.pending && listing.complete} onRefresh={onRefresh} />
      <LoadedNote place={place} listing={listing} filter={filter} sort={sort} onComplete={toGrid} />
    </Group>
  );
}
