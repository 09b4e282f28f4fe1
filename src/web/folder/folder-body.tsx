import { Button, Group, Skeleton } from '@mantine/core';
import { IconBucketOff, IconFolderOpen } from '@tabler/icons-react';
import { Suspense, type ComponentProps } from 'react';
import { Link } from 'react-router';
import { useStore } from 'zustand';
import { isInvalid, isMissing } from '../api/api-error.ts';
import { ui } from '../brand/ui.ts';
import { AskForHelp } from '../help/ask-for-help.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import type { AllowedInFolder } from '../permissions/use-permissions.ts';
import { folderOf, placeLink, providerLink, type Place } from '../place/place.ts';
import { NothingHere } from '../shell/not-found-page.tsx';
import { Note, StaleNote } from '../shell/stale-note.tsx';
import { DeniedState, EmptyState, ErrorState } from '../shell/states.tsx';
import { chooseFiles, uploadTo } from '../uploads/choose.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { isOpen } from '../work/upload-item.ts';
import { uploads } from '../work/work.ts';
import classes from './folder-page.module.css';
import { ObjectGrid } from './object-grid.tsx';
import type { Listing } from './use-listing.ts';

const FoundBelow = lazyPart(() => import('./found-below.tsx').then((module) => module.FoundBelow));

type Properties = {
  readonly place: Place;
  readonly allowed: AllowedInFolder;
  readonly listing: Listing;
  readonly filter: string;
  readonly onClearFilter: () => void;
  readonly grid: ComponentProps<typeof ObjectGrid>;
};

const SKELETONS = [62, 48, 71, 40, 55, 66, 45, 58];

/** Whether the listing failed because the bucket does not exist, or cannot. */
export function hasNoBucket({ error, loaded }: Listing): boolean {
  return (isMissing(error) || isInvalid(error)) && loaded === 0;
}

function NoSuchBucket({ place: { provider, bucket }, onRetry }: { place: Place; onRetry: () => void }) {
  return (
    <EmptyState
      icon={IconBucketOff}
      title={t('There is no such bucket')}
      color="red"
      live="assertive"
      action={
        <Group justify="center">
          <Button variant="default" onClick={onRetry}>
            {t('Try again')}
          </Button>
          <Button component={Link} to={providerLink(provider)}>
            {t('Buckets of {provider}', { provider })}
          </Button>
        </Group>
      }
    >
      {rich('{bucket} may have been deleted, or its name may be misspelled.', { bucket: <strong>{bucket}</strong> })}
    </EmptyState>
  );
}

/** The rows of a folder, or the state in place of them: loading, failed, denied, empty, or what was found below if nothing here matches the filter. */
export function FolderBody({ place, allowed, listing, filter, onClearFilter, grid }: Properties) {
  const retry = () => {
    allowed.retry();
    listing.retry();
  };
  const failure = listing.error ?? allowed.error;
  if (failure !== null && listing.rows.length === 0) {
    if (hasNoBucket(listing))
      return isInvalid(listing.error) ? <NothingHere /> : <NoSuchBucket place={place} onRetry={retry} />;
    return <ErrorState error={failure} onRetry={retry} title={t('This folder could not be loaded')} />;
  }
  if (listing.pending || (allowed.pending && listing.rows.length === 0)) {
    return (
      <div className={classes.loading} role="status" aria-label={t('Loading')}>
        {SKELETONS.map((width) => (
          <Skeleton key={width} h={14} w={`${width}%`} />
        ))}
      </div>
    );
  }
  if (!allowed.pending && allowed.error === null && !allowed.may('objects:list')) {
    return (
      <DeniedState action="objects:list" place={place} onRetry={retry}>
        {allowed.mayHere('objects:write') && (
          <p>
            {t(
              'You may upload here, but not see the files. Drop files here, or use Upload files. Existing files are only replaced if you confirm it.',
            )}
          </p>
        )}
      </DeniedState>
    );
  }
  if (listing.rows.length > 0) {
    return (
      <>
        {listing.restFailed ? (
          <Note text={t('The rest of this folder could not be loaded.')} onRetry={listing.loadMore} />
        ) : (
          listing.error !== null && <StaleNote since={listing.readAt} onRetry={retry} />
        )}
        {allowed.error !== null && (
          <Note
            text={t('Your permissions could not be checked, so some buttons may be missing.')}
            onRetry={allowed.retry}
          />
        )}
        <ObjectGrid key={placeLink(place)} {...grid} />
      </>
    );
  }
  if (filter !== '' && listing.loaded > 0) {
    return (
      <Boundary what="panel">
        <Suspense>
          <FoundBelow
            key={filter}
            place={{ ...place, prefix: folderOf(place.prefix) }}
            filter={filter}
            isWhole={listing.complete}
            gridRef={grid.gridRef}
            onClearFilter={onClearFilter}
          />
        </Suspense>
      </Boundary>
    );
  }
  if (!listing.complete) {
    return (
      <EmptyState
        icon={IconFolderOpen}
        title={t('Nothing so far')}
        action={
          <Button onClick={listing.loadMore} loading={listing.loading}>
            {t('Load more')}
          </Button>
        }
      >
        {t('The part loaded so far contains nothing that you may see. There is more.')}
      </EmptyState>
    );
  }
  return <EmptyFolder place={place} allowed={allowed} isRead={listing.loading} />;
}

/** A folder without rows: empty, or with files on their way to it. @param isRead - whether the folder is read again just now. */
function EmptyFolder({ place, allowed, isRead }: Pick<Properties, 'place' | 'allowed'> & { readonly isRead: boolean }) {
  const arriving = useStore(uploads.view, (view) =>
    view.uploads.some(
      ({ state, target }) =>
        (isOpen(state) || (isRead && state === 'stored')) &&
        target.provider === place.provider &&
        target.bucket === place.bucket &&
        target.key.startsWith(folderOf(place.prefix)),
    ),
  );
  if (arriving)
    return (
      <EmptyState icon={IconFolderOpen} title={t('Files are arriving')}>
        {t('They appear here as soon as they are stored.')}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={IconFolderOpen}
      title={place.prefix === '' ? t('This bucket is empty') : t('Nothing here')}
      action={
        allowed.mayHere('objects:write') && (
          <Button
            onClick={() =>
              void chooseFiles().then((files) => uploadTo({ ...place, prefix: folderOf(place.prefix) }, files))
            }
          >
            {t('Choose files to upload')}
          </Button>
        )
      }
    >
      {allowed.mayHere('objects:write')
        ? t('Drop files or folders here, or choose files.')
        : t('There is nothing here that you may see. You may not upload here.')}
      {ui.help !== undefined && !allowed.mayHere('objects:write') && (
        <AskForHelp facts={{ Place: [place.provider, place.bucket, place.prefix].filter(Boolean).join(' / ') }} />
      )}
    </EmptyState>
  );
}
