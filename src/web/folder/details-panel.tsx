import { CloseButton, Drawer, Group, Loader, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, type KeyboardEvent } from 'react';
import { headQuery } from '../api/head-query.ts';
import { offersFor } from '../actions/offer.ts';
import { actions } from '../actions/registry.ts';
import { useSurroundings } from '../actions/use-surroundings.ts';
import { isMissing } from '../api/api-error.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import type { Entry, FileEntry } from '../objects/entry.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { withDialog } from '../parts/dialogs.tsx';
import { useEntryPermissions, type RowActions } from '../permissions/entry-permissions.ts';
import { baseName, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import { ActionButtons } from './toolbar.tsx';

const Details = lazyPart(() => import('../preview/details.tsx').then((module) => module.Details));

type Properties = {
  readonly place: Place;
  readonly objectKey: string;
  readonly rows: readonly Entry[];
  readonly rowActions: RowActions;
  readonly onFull: () => void;
  readonly onClose: () => void;
};

/** The details of an object, beside the rows on a wide screen and in a drawer otherwise. */
export function DetailsPanel({ place, objectKey, rows, rowActions, onFull, onClose }: Properties) {
  const wide = useMediaQuery('(min-width: 70em)', true, { getInitialValueInEffect: false });
  const name = baseName(objectKey);
  const displayName = visibleText(name);
  const content = (
    <DetailsContent
      key={objectKey}
      place={place}
      objectKey={objectKey}
      rows={rows}
      rowActions={rowActions}
      onFull={onFull}
      onClose={onClose}
    />
  );
  /** Closes the panel on Escape. Menus of the panel, and dialogs over it, are elsewhere in the document and handle Escape themselves. */
  const closeOnEscape = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape' && event.currentTarget.contains(event.target as Node)) onClose();
  };
  if (wide) {
    return (
      <aside
        className={classes.details}
        aria-label={t('Details of {name}', { name: displayName })}
        onKeyDown={closeOnEscape}
      >
        <Group className={classes.detailsHead} wrap="nowrap" gap="xs">
          <EntryIcon entry={{ kind: 'file', key: objectKey }} />
          <Text fw={600} className={classes.detailsName} title={displayName}>
            <Name>{name}</Name>
          </Text>
          <CloseButton aria-label={t('Close details')} onClick={onClose} />
        </Group>
        <div className={classes.detailsBody}>{content}</div>
      </aside>
    );
  }
  return (
    <Drawer
      opened
      onClose={onClose}
      closeOnEscape={false}
      onKeyDown={closeOnEscape}
      position="right"
      size="min(34rem, 100vw)"
      title={
        <span className={classes.detailsName}>
          <Name>{name}</Name>
        </span>
      }
      closeButtonProps={{ 'aria-label': t('Close details') }}
    >
      {content}
    </Drawer>
  );
}

function DetailsContent({ place, objectKey, rows, rowActions, onFull, onClose }: Properties) {
  const around = useSurroundings(onClose);
  const entry = useMemo(
    () =>
      rows.find((row): row is FileEntry => row.kind === 'file' && row.key === objectKey) ??
      ({
        kind: 'file',
        key: objectKey,
        name: baseName(objectKey),
        size: 0,
        etag: '',
        last_modified: '',
      } satisfies FileEntry),
    [rows, objectKey],
  );
  const entries = [entry];
  const permissions = useEntryPermissions(place, entries, rowActions);
  const { error } = useQuery(headQuery({ ...place, key: objectKey }));
  const offers =
    isMissing(error) && entry.deleted !== true ? [] : offersFor(actions.entries, { place, entries }, permissions);
  const edit = offers.find(({ id }) => id === 'edit');
  const mayChange = permissions.mayAll(entry, ['objects:get', 'objects:write']);
  const object = { provider: place.provider, bucket: place.bucket, key: objectKey };
  const openForm = (): void =>
    withDialog(
      () => import('../editor/properties.tsx'),
      ({ openProperties }) => openProperties(object, around),
    );
  return (
    <>
      <div className={classes.detailsActions}>
        <ActionButtons offers={offers} around={around} small label={t('More actions on this object')} />
      </div>
      <Boundary what="panel">
        <Suspense fallback={<Loader size="sm" aria-label={t('Loading details')} />}>
          <Details
            place={place}
            objectKey={objectKey}
            onFull={onFull}
            onEdit={edit && (() => edit.run(around))}
            onProperties={mayChange ? openForm : undefined}
            onCompare={(version, when) =>
              withDialog(
                () => import('../editor/compare.tsx'),
                ({ openCompare }) => openCompare({ object, version, when }),
              )
            }
            mayAll={(needs) => permissions.mayAll(entry, needs)}
          />
        </Suspense>
      </Boundary>
    </>
  );
}
