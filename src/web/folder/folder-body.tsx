import { Button, Skeleton } from '@mantine/core';
import { IconFolderOpen, IconMoodEmpty } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { apiErrorOf } from '../api/api-error.ts';
import type { Allowed } from '../permissions/use-permissions.ts';
import type { Place } from '../place/place.ts';
import { DeniedState, EmptyState, ErrorState } from '../shell/states.tsx';
import classes from './folder-page.module.css';
import { ObjectGrid } from './object-grid.tsx';
import type { Listing } from './use-listing.ts';

type Properties = {
  readonly place: Place;
  readonly allowed: Allowed;
  readonly listing: Listing;
  readonly filter: string;
  readonly onClearFilter: () => void;
  readonly grid: ComponentProps<typeof ObjectGrid>;
};

const SKELETONS = [62, 48, 71, 40, 55, 66, 45, 58];

/** The rows, or what is the case instead: loading, failed, denied, empty, nothing that passes the filter. */
export function FolderBody({ place, allowed, listing, filter, onClearFilter, grid }: Properties) {
  const retry = () => {
    allowed.retry();
    listing.retry();
  };
  const failure = listing.error ?? allowed.error;
  if (failure !== null && listing.rows.length === 0) {
    const error = apiErrorOf(failure);
    return <ErrorState error={error} onRetry={retry} title={error.code === 'not_found' ? 'There is no such bucket' : 'This folder could not be loaded'} />;
  }
  if (listing.pending || (allowed.pending && listing.rows.length === 0)) {
    return (
      <div className={classes.loading} role="status" aria-label="Loading">
        {SKELETONS.map((width) => (
          <Skeleton key={width} h={14} w={`${width}%`} />
        ))}
      </div>
    );
  }
  if (!allowed.pending && allowed.error === null && !allowed.may('objects:list')) {
    const where = place.prefix === '' ? `${place.provider} / ${place.bucket}` : place.prefix;
    return (
      <DeniedState action="objects:list" where={where} onRetry={retry}>
        {allowed.may('objects:write') && <p>You may upload here without seeing what is there: drop files, or use Upload. No file is replaced unless you say so.</p>}
      </DeniedState>
    );
  }
  if (listing.rows.length > 0) return <ObjectGrid {...grid} />;
  if (filter !== '' && listing.loaded > 0) {
    return (
      <EmptyState
        icon={IconMoodEmpty}
        title={`No name contains “${filter}”`}
        action={
          <Button variant="default" onClick={onClearFilter}>
            Clear the filter
          </Button>
        }
      >
        {listing.complete ? 'Everything in this folder was looked at; folders inside of it were not.' : 'Only what is loaded so far was looked at. Load all, or search all keys by how they start.'}
      </EmptyState>
    );
  }
  if (!listing.complete) {
    return (
      <EmptyState icon={IconFolderOpen} title="Nothing so far" action={<Button onClick={listing.loadMore} loading={listing.loading}>Look further</Button>}>
        The first keys that were read hold nothing that you may see. There are more.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconFolderOpen} title={place.prefix === '' ? 'This bucket is empty' : 'Nothing here'}>
      {allowed.may('objects:write') ? 'Drop files or folders here, or use Upload.' : 'There is nothing that you may see. You may look, but not upload here.'}
    </EmptyState>
  );
}
