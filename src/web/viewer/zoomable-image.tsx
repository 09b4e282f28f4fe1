import { useElementSize, useMergedRef, useWindowEvent } from '@mantine/hooks';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type PointerEvent } from 'react';
import type { ObjectRef } from '../api/object-calls.ts';
import { visibleText } from '../names/visible.ts';
import type { FileEntry } from '../objects/entry.ts';
import { baseName } from '../place/place.ts';
import { NoPreview, PreviewLoading } from '../preview/preview-states.tsx';
import { useBlobUrl } from '../preview/thumbnail.tsx';
import { thumbnailQuery } from '../preview/thumbnail-query.ts';
import { t } from '../words/words.ts';
import classes from './viewer.module.css';
import { FITTED, moved, zoomed, type Point, type Zoom } from './zoom.ts';

const STEP = 1.5;
/** The minimum horizontal distance of a swipe in pixels. */
const SWIPE = 60;

type Gesture = { readonly points: ReadonlyMap<number, Point>; readonly begin: Point };

/** A picture that fits the screen. It can be zoomed with the wheel, keys, buttons, two fingers or a double click, and then moved. */
export function ZoomableImage({
  object,
  file,
  url,
  onStep,
}: {
  object: ObjectRef;
  file: FileEntry | undefined;
  url: string;
  onStep: (by: -1 | 1) => void;
}) {
  const [zoom, setZoom] = useState(FITTED);
  const [loaded, setLoaded] = useState<'no' | 'yes' | 'failed'>('no');
  const [natural, setNatural] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const { ref: measured, width } = useElementSize<HTMLImageElement>();
  const imageRef = useMergedRef(image, measured);
  const gesture = useRef<Gesture>(undefined);
  const small = useSmallVersion(object, file);
  /** The ratio of the fitted size to the natural size of the picture. */
  const fitted = natural === 0 ? 1 : width / natural;

  const change = (make: (zoom: Zoom, fitted: Point, room: Point) => Zoom): void => {
    const [picture, frame] = [image.current, box.current];
    if (picture === null || frame === null) return;
    setZoom((current) =>
      make(
        current,
        { x: picture.clientWidth, y: picture.clientHeight },
        { x: frame.clientWidth, y: frame.clientHeight },
      ),
    );
  };
  const zoomBy = (factor: number, at: Point = { x: 0, y: 0 }): void =>
    change((current, ...sizes) => zoomed(current, current.scale * factor, at, ...sizes));
  const toggle = (at: Point): void =>
    change((current, ...sizes) =>
      current.scale > 1 ? FITTED : zoomed(current, Math.max(2, 1 / fitted), at, ...sizes),
    );

  useWindowEvent(
    'keydown',
    ({ key, ctrlKey, metaKey, altKey }) => {
      if (ctrlKey || metaKey || altKey) return;
      if (key === '+' || key === '=') zoomBy(STEP);
      else if (key === '-') zoomBy(1 / STEP);
      else if (key === '0') setZoom(FITTED);
    },
    { capture: true },
  );
  useEffect(() => {
    const element = box.current;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY / 300), fromCentre(element, event));
    };
    // React adds passive wheel listeners, which cannot keep the page from zooming.
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  });

  const press = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    box.current?.setPointerCapture(event.pointerId);
    const at = fromCentre(box.current, event);
    gesture.current = { points: new Map([...(gesture.current?.points ?? []), [event.pointerId, at]]), begin: at };
  };
  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    const last = gesture.current;
    const from = last?.points.get(event.pointerId);
    if (last === undefined || from === undefined) return;
    const to = fromCentre(box.current, event);
    const other = [...last.points].find(([id]) => id !== event.pointerId)?.[1];
    gesture.current = { ...last, points: new Map([...last.points, [event.pointerId, to]]) };
    if (other !== undefined)
      zoomBy(distance(to, other) / Math.max(1, distance(from, other)), {
        x: (to.x + other.x) / 2,
        y: (to.y + other.y) / 2,
      });
    else change((current, ...sizes) => moved(current, { x: to.x - from.x, y: to.y - from.y }, ...sizes));
  };
  const release = (event: PointerEvent<HTMLDivElement>): void => {
    const last = gesture.current;
    const points = new Map(last?.points);
    points.delete(event.pointerId);
    gesture.current = points.size === 0 || last === undefined ? undefined : { ...last, points };
    if (last?.points.size !== 1 || zoom.scale > 1 || event.pointerType === 'mouse') return;
    const end = fromCentre(box.current, event);
    const aside = end.x - last.begin.x;
    if (Math.abs(aside) > SWIPE && Math.abs(aside) > 2 * Math.abs(end.y - last.begin.y)) onStep(aside < 0 ? 1 : -1);
  };

  if (loaded === 'failed') {
    return (
      <div className={classes.card}>
        <NoPreview>{t('The browser cannot show this file. Download it to open it.')}</NoPreview>
      </div>
    );
  }
  return (
    <>
      <div
        ref={box}
        className={classes.picture}
        data-zoomed={zoom.scale > 1 || undefined}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={release}
        onDoubleClick={(event) => toggle(fromCentre(box.current, event))}
      >
        {loaded === 'no' && small !== undefined && (
          <img className={classes.small} src={small} alt="" draggable={false} />
        )}
        <img
          ref={imageRef}
          src={url}
          alt={visibleText(baseName(object.key))}
          draggable={false}
          decoding="async"
          data-loaded={loaded === 'yes' || undefined}
          style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}
          onLoad={({ currentTarget }) => {
            setNatural(currentTarget.naturalWidth);
            setLoaded('yes');
          }}
          onError={() => setLoaded('failed')}
        />
      </div>
      <div className={classes.zoom} role="group" aria-label={t('Zoom')}>
        <button type="button" className={classes.tool} aria-label={t('Zoom out')} onClick={() => zoomBy(1 / STEP)}>
          <IconMinus size={18} />
        </button>
        <button
          type="button"
          className={classes.percent}
          title={t('Fit to the screen')}
          onClick={() => setZoom(FITTED)}
        >
          {Math.round(fitted * zoom.scale * 100)} %
        </button>
        <button type="button" className={classes.tool} aria-label={t('Zoom in')} onClick={() => zoomBy(STEP)}>
          <IconPlus size={18} />
        </button>
      </div>
    </>
  );
}

/** What is shown of a picture before it is known whether it is drawn. */
export function SmallImage({ object, file }: { object: ObjectRef; file: FileEntry | undefined }) {
  const small = useSmallVersion(object, file);
  return (
    <div className={classes.picture}>
      {small !== undefined && <img className={classes.small} src={small} alt="" draggable={false} />}
      <div className={classes.waiting}>
        <PreviewLoading />
      </div>
    </div>
  );
}

/** The thumbnail from the gallery, if it is in the cache, to show until the picture is loaded. */
function useSmallVersion(object: ObjectRef, file: FileEntry | undefined): string | undefined {
  const known = file ?? { kind: 'file' as const, key: object.key, name: '', size: 0, etag: '', last_modified: '' };
  const { data } = useQuery({ ...thumbnailQuery(object, known), enabled: false });
  return useBlobUrl(data);
}

function fromCentre(
  element: Element | null,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
): Point {
  const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
