import { Button, Group, Skeleton } from '@mantine/core';
import { IconBucketOff, IconFolderOpen, IconMoodEmpty } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import { isMissing } from '../api/api-error.ts';
import { ui } from '../brand/ui.ts';
import { AskForHelp } from '../help/ask-for-help.tsx';
import type { AllowedInFolder } from '../permissions/use-permissions.ts';
import { folderOf, placeLink, providerLink, type Place } from '../place/place.ts';
import { searchFrom } from '../place/search-question.ts';
import { Note, StaleNote } from '../shell/stale-note.tsx';
import { DeniedState, EmptyState, ErrorState } from '../shell/states.tsx';
import { chooseFiles, uploadTo } from '../uploads/choose.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import { ObjectGrid } from './object-grid.tsx';
import type { Listing } from './use-listing.ts';

type Properties = {
  readonly place: Place;
  readonly allowed: AllowedInFolder;
  readonly listing: Listing;
  readonly filter: string;
  readonly onClearFilter: () => void;
  readonly grid: ComponentProps<typeof ObjectGrid>;
};

const SKELETONS = [62, 48, 71, 40, 55, 66, 45, 58];

/** Whether the listing says that there is no such bucket: nothing can be done in it then. */
export function hasNoBucket({ error, rows }: Listing): boolean {
  return isMissing(error) && rows.length === 0;
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
            {t('Retry')}
          </Button>
          <Button component={Link} to={providerLink(provider)}>
            {t('Buckets of {provider}', { provider })}
          </Button>
        </Group>
      }
    >
      {rich('{bucket} may have been deleted, or its name is spelled otherwise.', { bucket: <strong>{bucket}</strong> })}
    </EmptyState>
  );
}

/** The rows, or what is the case instead: loading, failed, denied, empty, nothing that passes the filter. */
export function FolderBody({ place, allowed, listing, filter, onClearFilter, grid }: Properties) {
  const retry = () => {
    allowed.retry();
    listing.retry();
  };
  const failure = listing.error ?? allowed.error;
  if (failure !== null && listing.rows.length === 0) {
    if (hasNoBucket(listing)) return <NoSuchBucket place={place} onRetry={retry} />;
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
        {allowed.mayHere('objects:write') && <p>{t('You may upload here without seeing what is there: drop files, or use Upload. No file is replaced unless you say so.')}</p>}
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
        {allowed.error !== null && <Note text={t('What you may do here could not be asked, so that buttons may be missing.')} onRetry={allowed.retry} />}
        <ObjectGrid key={placeLink(place)} {...grid} />
      </>
    );
  }
  if (filter !== '' && listing.loaded > 0) {
    return (
      <EmptyState
        icon={IconMoodEmpty}
        title={t('No name contains “{filter}”', { filter })}
        action={
          <Group justify="center">
            <Button variant="default" onClick={onClearFilter}>
              {t('Clear the filter')}
            </Button>
            <Button component={Link} to={searchFrom({ ...place, prefix: folderOf(place.prefix) }, filter)}>
              {t('Search all folders below')}
            </Button>
          </Group>
        }
      >
        {listing.complete ? t('Everything in this folder was looked at; folders inside of it were not.') : t('Only what is loaded so far was looked at.')}
      </EmptyState>
    );
  }
  if (!listing.complete) {
    return (
      <EmptyState icon={IconFolderOpen} title={t('Nothing so far')} action={<Button onClick={listing.loadMore} loading={listing.loading}>{t('Look further')}</Button>}>
        {t('What was read so far holds nothing that you may see. There is more.')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconFolderOpen}
      title={place.prefix === '' ? t('This bucket is empty') : t('Nothing here')}
      action={allowed.mayHere('objects:write') && <Button onClick={() => void chooseFiles().then((files) => uploadTo({ ...place, prefix: folderOf(place.prefix) }, files))}>{t('Choose files to upload')}</Button>}
    >
      {allowed.mayHere('objects:write') ? t('Drop files or folders here, or choose files.') : t('There is nothing that you may see. You may look, but not upload here.')}
      {ui.help !== undefined && !allowed.mayHere('objects:write') && <AskForHelp facts={{ Place: `${place.provider} / ${place.bucket} / ${place.prefix}` }} />}
    </EmptyState>
  );
}
