import { IconDots } from '@tabler/icons-react';
import type { DragEvent } from 'react';
import { CAN_DRAG } from '../dragging/drag-start.ts';
import { visibleText } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import { entryClicks, leaveToRow, type RowEvents } from './entry-clicks.ts';
import grid from './object-grid.module.css';
import type { Sort } from './sort.ts';
import { linkToRow } from './use-folder-url.ts';

/** An entry of a folder, and how it is shown. `index` is its position in the list of rows. */
export type EntryState = {
  readonly id: string;
  readonly place: Place;
  readonly sort: Sort | undefined;
  readonly entry: Entry;
  readonly index: number;
  readonly active: boolean;
  readonly chosen: boolean;
  readonly opened: boolean;
  readonly locked: boolean;
  readonly fresh: boolean;
  readonly cut: boolean;
};

/** What a row and a tile have in common. `element` and `link` are the properties of these elements; `check` and `dots` are the checkbox and the button of the menu. */
export function entryParts(
  { id, place, sort, entry, index, active, chosen, opened, fresh, cut }: EntryState,
  events: RowEvents,
) {
  const displayName = visibleText(entry.name);
  const isDeleted = entry.deleted === true;
  const to = linkToRow(entry, place, sort);
  const { click, check, stretchFromLabel, menuAtPointer, menuAtButton } = entryClicks(index, events);
  return {
    displayName,
    isDeleted,
    element: {
      id,
      'aria-selected': chosen,
      'data-active': active || undefined,
      'data-opened': opened || undefined,
      'data-fresh': fresh || undefined,
      'data-cut': cut || undefined,
      'data-deleted': isDeleted || undefined,
      'data-place': entry.kind === 'folder' && !isDeleted ? to : undefined,
      draggable: CAN_DRAG && !isDeleted,
      onDragStart: (event: DragEvent) => events.onDrag(index, event),
      onClick: click,
      onContextMenu: menuAtPointer,
    },
    link: {
      tabIndex: -1,
      to,
      onClick: leaveToRow,
      className: grid.link,
      'aria-label': displayName,
      draggable: false,
    },
    check: (className?: string) => (
      <label
        className={className === undefined ? grid.checkArea : `${grid.checkArea} ${className}`}
        onClick={stretchFromLabel}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          checked={chosen}
          onChange={check}
          aria-label={t('Select {name}', { name: displayName })}
        />
      </label>
    ),
    dots: (
      <button
        type="button"
        className={grid.dots}
        tabIndex={-1}
        aria-label={t('Actions on {name}', { name: displayName })}
        onClick={menuAtButton}
      >
        <IconDots size={18} />
      </button>
    ),
  };
}
