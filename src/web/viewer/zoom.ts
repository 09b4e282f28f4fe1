/** A position in pixels from the centre of the frame, or a size in pixels. */
export type Point = { readonly x: number; readonly y: number };
/** The scale and the offset of a picture in its frame. At `scale` 1 the picture fits the frame. */
export type Zoom = Point & { readonly scale: number };

export const FITTED: Zoom = { scale: 1, x: 0, y: 0 };
const MOST = 16;

/** Zooms to a scale and keeps the picture in place at a point. @param fitted - the size of the picture at scale 1. @param room - the size of the frame. */
export function zoomed(zoom: Zoom, to: number, at: Point, fitted: Point, room: Point): Zoom {
  const scale = Math.min(MOST, Math.max(1, to));
  const share = scale / zoom.scale;
  return kept({ scale, x: at.x - (at.x - zoom.x) * share, y: at.y - (at.y - zoom.y) * share }, fitted, room);
}

export function moved(zoom: Zoom, by: Point, fitted: Point, room: Point): Zoom {
  return kept({ ...zoom, x: zoom.x + by.x, y: zoom.y + by.y }, fitted, room);
}

/** Limits the offset, so that a picture larger than the frame fills it and a smaller one is centred. */
function kept({ scale, x, y }: Zoom, fitted: Point, room: Point): Zoom {
  const within = (value: number, size: number, space: number): number => {
    const most = Math.max(0, (size * scale - space) / 2);
    return Math.max(-most, Math.min(most, value)) + 0;
  };
  return { scale, x: within(x, fitted.x, room.x), y: within(y, fitted.y, room.y) };
}
