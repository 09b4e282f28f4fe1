import { placeAt, type Place } from '../place/place.ts';

/** An element of the page that represents a folder: a row, a breadcrumb, or a bucket in the sidebar. */
export type PlaceUnder = { readonly element: HTMLElement; readonly place: Place };

/** The folder under the pointer of an event. Elements that represent a folder have its in-app link in `data-place`. */
export function placeUnder({ target }: { readonly target: EventTarget | null }): PlaceUnder | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null;
  const [pathname = '', search] = element?.dataset['place']?.split('?') ?? [];
  const place = placeAt(pathname, search ?? '');
  return element === null || place === undefined ? undefined : { element, place };
}
