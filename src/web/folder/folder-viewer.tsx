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
  const download =
    entry && rowActions(entry)?.includes('objects:get') === true
      ? actions.on({ place, entries: [entry] }).find(({ id }) => id === 'download')
      : undefined;
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
        />
      </Suspense>
    </Boundary>
  );
}
