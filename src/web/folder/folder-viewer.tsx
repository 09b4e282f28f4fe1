import { Suspense } from 'react';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import type { RowActions } from '../permissions/entry-permissions.ts';
import { placeLink, type Place } from '../place/place.ts';
import type { FolderActions } from './use-folder-actions.ts';
import type { ViewerState } from './use-viewer.ts';

const Viewer = lazyPart(() => import('../viewer/viewer.tsx').then((module) => module.Viewer));

type Properties = {
  readonly place: Place;
  readonly objectKey: string;
  readonly viewer: ViewerState;
  readonly rowActions: RowActions;
  readonly actions: FolderActions;
  readonly onStep: (key: string) => void;
  readonly onDetails: () => void;
};

/** An object of the folder in full screen. Its code is loaded when it opens. */
export function FolderViewer({ place, objectKey, viewer, rowActions, actions, onStep, onDetails }: Properties) {
  const entry = viewer.files.find((file) => file.key === objectKey);
  const allowed = entry && rowActions(entry);
  const offers = entry && allowed?.includes('objects:get') === true ? actions.on({ place, entries: [entry] }) : [];
  const download = offers.find(({ id }) => id === 'download');
  const edit = allowed?.includes('objects:write') === true ? offers.find(({ id }) => id === 'edit') : undefined;
  /** The editor opens over the details, so that its keys are not those of the viewer. */
  const onEdit =
    edit &&
    ((): void => {
      onDetails();
      edit.run(actions.around);
    });
  return (
    <Boundary what="panel" about={placeLink(place)}>
      <Suspense>
        <Viewer
          place={place}
          objectKey={objectKey}
          files={viewer.files}
          onStep={onStep}
          onClose={viewer.close}
          onDetails={onDetails}
          onDownload={download && (() => download.run(actions.around))}
          onEdit={onEdit}
        />
      </Suspense>
    </Boundary>
  );
}
