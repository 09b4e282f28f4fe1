import { Modal } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconDownload, IconEdit, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, type ComponentType, type KeyboardEvent } from 'react';
import { formatBytes } from '../../format/byte-size.ts';
import { headQuery, readableHead } from '../api/head-query.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import type { FileEntry } from '../objects/entry.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { baseName, type Place } from '../place/place.ts';
import { Failure } from '../preview/failure.tsx';
import { PreviewLoading } from '../preview/preview-states.tsx';
import { previewKindOf } from '../preview/preview-kind.ts';
import { Preview } from '../preview/preview.tsx';
import { usePicture } from '../preview/use-picture.tsx';
import { t } from '../words/words.ts';
import { isNamedPicture, isPicture, usePicturesAhead } from './pictures-ahead.ts';
import classes from './viewer.module.css';
import { SmallImage, ZoomableImage } from './zoomable-image.tsx';

type Properties = {
  readonly place: Place;
  readonly objectKey: string;
  /** The objects of the folder, in the order of its rows. */
  readonly files: readonly FileEntry[];
  readonly onStep: (key: string) => void;
  readonly onClose: () => void;
  readonly onDetails: () => void;
  /** Undefined if the user may not download the object. */
  readonly onDownload: (() => void) | undefined;
  /** Undefined if the object cannot be edited as text. */
  readonly onEdit: (() => void) | undefined;
};

/** One object in full screen, with buttons for the previous and the next one. */
export function Viewer({ place, objectKey, files, onStep, onClose, onDetails, onDownload, onEdit }: Properties) {
  const name = baseName(objectKey);
  const index = files.findIndex(({ key }) => key === objectKey);
  const file = files[index];
  const before = index > 0 ? files[index - 1] : undefined;
  const behind = index === -1 ? undefined : files[index + 1];
  const stage = useRef<HTMLDivElement>(null);
  const object: ObjectRef = { provider: place.provider, bucket: place.bucket, key: objectKey };
  usePicturesAhead(object, before, behind);
  const step = (by: -1 | 1): void => {
    const next = by === 1 ? behind : before;
    if (next !== undefined) onStep(next.key);
  };
  /** Handles the keys of the viewer and keeps them from the folder page below it. */
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' || event.key === 'Tab') return;
    event.stopPropagation();
    if (event.altKey || event.ctrlKey || event.metaKey || usesArrows(event.target)) return;
    if (event.key === 'ArrowLeft') step(-1);
    else if (event.key === 'ArrowRight') step(1);
  };
  // The focused element of the previous object may have disappeared.
  useEffect(() => stage.current?.focus({ preventScroll: true }), [objectKey]);
  return (
    <Modal.Root
      opened
      onClose={onClose}
      fullScreen
      returnFocus={false}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Content
        radius={0}
        aria-label={t('{name}, full screen', { name: visibleText(name) })}
        className={classes.viewer}
      >
        <div className={classes.frame} onKeyDown={onKeyDown}>
          <header className={classes.head}>
            <EntryIcon entry={{ kind: 'file', key: objectKey }} />
            <div className={classes.title}>
              <h2 className={classes.name} title={visibleText(name)}>
                <Name cut>{name}</Name>
              </h2>
              {file !== undefined && (
                <p className={classes.facts}>
                  {t('{done} of {total}', { done: index + 1, total: files.length })} · {formatBytes(file.size)} ·{' '}
                  {formatDateTime(file.last_modified)}
                </p>
              )}
            </div>
            {onEdit !== undefined && <Tool label={t('Edit')} icon={IconEdit} onClick={onEdit} />}
            {onDownload !== undefined && <Tool label={t('Download')} icon={IconDownload} onClick={onDownload} />}
            <Tool label={t('Show details')} icon={IconInfoCircle} onClick={onDetails} />
            <Tool label={t('Close')} icon={IconX} onClick={onClose} />
          </header>
          <div className={classes.stage} ref={stage} tabIndex={-1} data-autofocus>
            <Boundary what="preview" about={objectKey}>
              <Suspense fallback={<PreviewLoading />}>
                <Shown key={objectKey} object={object} file={file} onStep={step} />
              </Suspense>
            </Boundary>
          </div>
          <Way
            side="left"
            label={t('Previous')}
            icon={IconChevronLeft}
            isOpen={before !== undefined}
            onClick={() => step(-1)}
          />
          <Way
            side="right"
            label={t('Next')}
            icon={IconChevronRight}
            isOpen={behind !== undefined}
            onClick={() => step(1)}
          />
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

type ShownProperties = {
  readonly object: ObjectRef;
  readonly file: FileEntry | undefined;
  readonly onStep: (by: -1 | 1) => void;
};

/** The object: a picture that can be zoomed, or a preview. */
function Shown({ object, file, onStep }: ShownProperties) {
  const head = useQuery(headQuery(object));
  const data = readableHead(head);
  const kind = data === undefined ? undefined : previewKindOf(object.key, data.type);
  if (data && isPicture(object.key, data)) return <Picture head={data} {...{ object, file, onStep }} />;
  if (head.isPending && isNamedPicture(object.key)) return <SmallImage object={object} file={file} />;
  return (
    <div className={classes.card} data-kind={kind}>
      {head.isPending && <PreviewLoading />}
      {head.error && <Failure object={object} error={head.error} onRetry={() => void head.refetch()} />}
      {data && <Preview object={object} head={data} />}
    </div>
  );
}

function Picture({ head, ...shown }: ShownProperties & { readonly head: ObjectHead }) {
  const { url, instead } = usePicture(shown.object, head);
  if (instead !== undefined) return <div className={classes.card}>{instead}</div>;
  return url === undefined ? <SmallImage {...shown} /> : <ZoomableImage {...shown} url={url} />;
}

function Tool({
  label,
  icon: Picture,
  onClick,
}: {
  label: string;
  icon: ComponentType<{ size: number }>;
  onClick: () => void;
}) {
  return (
    <button type="button" className={classes.tool} aria-label={label} title={label} onClick={onClick}>
      <Picture size={20} />
    </button>
  );
}

/** A button for the previous or the next object. It stays at the first and the last object, because it may have the focus. */
function Way({
  side,
  label,
  icon: Picture,
  isOpen,
  onClick,
}: {
  side: 'left' | 'right';
  label: string;
  icon: ComponentType<{ size: number }>;
  isOpen: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      className={`${classes.tool} ${classes.way}`}
      data-side={side}
      aria-label={label}
      aria-disabled={!isOpen}
      onClick={onClick}
    >
      <Picture size={26} />
    </button>
  );
}

/** Whether the element uses the arrow keys itself. */
function usesArrows(target: EventTarget): boolean {
  return target instanceof Element && target.closest('video, audio, input, textarea, select') !== null;
}
