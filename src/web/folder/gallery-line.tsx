import { IconDots } from '@tabler/icons-react';
import { Link } from 'react-router';
import { CAN_DRAG } from '../dragging/drag-start.ts';
import { formatBytes } from '../../format/byte-size.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import type { Place } from '../place/place.ts';
import { Thumbnail } from '../preview/thumbnail.tsx';
import { t } from '../words/words.ts';
import { entryClicks, leaveToRow, type RowEvents } from './entry-clicks.ts';
import classes from './gallery.module.css';
import grid from './object-grid.module.css';
import { RowMarks } from './row-marks.tsx';
import type { Sort } from './sort.ts';
import { linkToRow } from './use-folder-url.ts';
import { GAP, type Tiles } from './use-tiles.ts';

type TileProperties = {
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
  readonly readable: boolean;
};

/** One line of tiles in the gallery. Its code is loaded when the gallery is first shown. */
export function GalleryLine({
  line,
  top,
  tiles,
  entries,
  events,
}: {
  line: number;
  top: number;
  tiles: Tiles;
  entries: readonly TileProperties[];
  events: RowEvents;
}) {
  return (
    <div
      role="row"
      aria-rowindex={line + 1}
      className={classes.line}
      style={{
        height: tiles.height,
        gap: GAP,
        padding: `${GAP}px ${GAP}px 0`,
        gridTemplateColumns: `repeat(${tiles.columns}, ${tiles.width}px)`,
        transform: `translateY(${top}px)`,
      }}
    >
      {entries.map((entry) => (
        <Tile key={entry.entry.key} {...entry} events={events} />
      ))}
    </div>
  );
}

function Tile({
  id,
  place,
  sort,
  entry,
  index,
  active,
  chosen,
  opened,
  locked,
  fresh,
  cut,
  readable,
  events,
}: TileProperties & { events: RowEvents }) {
  const displayName = visibleText(entry.name);
  const isDeleted = entry.deleted === true;
  const { click, check, stretchFromLabel, menuAtPointer, menuAtButton } = entryClicks(index, events);
  const link = linkToRow(entry, place, sort);
  const icon = <EntryIcon entry={entry} size={entry.kind === 'folder' ? 64 : 44} />;
  return (
    <div
      id={id}
      role="gridcell"
      aria-selected={chosen}
      className={classes.tile}
      data-active={active || undefined}
      data-opened={opened || undefined}
      data-fresh={fresh || undefined}
      data-cut={cut || undefined}
      data-deleted={isDeleted || undefined}
      data-place={entry.kind === 'folder' && !isDeleted ? link : undefined}
      draggable={CAN_DRAG && !isDeleted}
      onDragStart={(event) => events.onDrag(index, event)}
      onClick={click}
      onContextMenu={menuAtPointer}
    >
      <div className={classes.picture} data-kind={entry.kind}>
        {entry.kind === 'file' && readable ? <Thumbnail place={place} file={entry} instead={icon} /> : icon}
        <RowMarks deleted={isDeleted} locked={locked} className={classes.lock} />
        <label className={`${grid.checkArea} ${classes.check}`} onClick={stretchFromLabel}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={chosen}
            onChange={check}
            aria-label={t('Select {name}', { name: displayName })}
          />
        </label>
      </div>
      <div className={classes.name}>
        <Link
          tabIndex={-1}
          to={link}
          onClick={leaveToRow}
          className={grid.link}
          title={entry.kind === 'folder' ? displayName : `${displayName} · ${formatBytes(entry.size)}`}
          aria-label={displayName}
          draggable={false}
        >
          <Name cut>{entry.name}</Name>
        </Link>
        <button
          type="button"
          className={grid.dots}
          tabIndex={-1}
          aria-label={t('Actions on {name}', { name: displayName })}
          onClick={menuAtButton}
        >
          <IconDots size={18} />
        </button>
      </div>
    </div>
  );
}
