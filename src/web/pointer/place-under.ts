import { placeAt, type Place } from '../place/place.ts';

/** A part of the page that stands for a folder: a row, a step of the way to a folder, a bucket in the sidebar. */
export type PlaceUnder = { readonly element: HTMLElement; readonly place: Place };

/** The folder that the pointer of an event is over. Such parts of the page have the in-app link to their folder in `data-place`. */
export function placeUnder({ target }: { readonly target: EventTarget | null }): PlaceUnder | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null;
  const [pathname = '', search] = element?.dataset['place']?.split('?') ?? [];
  const place = placeAt(pathname, search ?? '');
  return element === null || place === undefined ? undefined : { element, place };
}
