import type { ObjectList } from '../../wire/http.ts';
import { visibleText } from '../names/visible.ts';
import { entriesOf, type Entry } from '../objects/entry.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { placeLink, type Place } from '../place/place.ts';
import type { Destination } from './destination.ts';

/** The maximum number of rows in the palette. For more matches, the search is better. */
const MOST = 8;

/**
 * The rows of the open folder whose names contain a text. Names that begin with it come first.
 *
 * @param pages - the loaded pages of the folder.
 * @param sort - the query parameter `sort` of the open folder, which the links keep.
 */
export function foundInFolder(
  place: Place,
  pages: readonly ObjectList[],
  text: string,
  sort: string | undefined,
): Destination[] {
  const sought = text.toLowerCase();
  const { folders, files } = entriesOf(pages, place.prefix);
  const placed = [...folders, ...files].map((entry) => ({
    entry,
    at: visibleText(entry.name).toLowerCase().indexOf(sought),
  }));
  const found = [...placed.filter(({ at }) => at === 0), ...placed.filter(({ at }) => at > 0)].slice(0, MOST);
  return found.map(({ entry }) => ({
    id: `entry ${entry.kind} ${entry.key}`,
    label: visibleText(entry.name),
    to: linkTo(entry, place, sort),
    icon: <EntryIcon entry={entry} />,
  }));
}

function linkTo({ kind, key }: Entry, place: Place, sort: string | undefined): string {
  return kind === 'folder' ? placeLink({ ...place, prefix: key }, undefined, sort) : placeLink(place, key, sort);
}
