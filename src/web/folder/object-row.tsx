import { IconDots } from '@tabler/icons-react';
import { memo } from 'react';
import { Link } from 'react-router';
import { formatBytes } from '../../format/byte-size.ts';
import { CAN_DRAG } from '../dragging/drag-start.ts';
import { formatDateTime, formatExactTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import type { Entry, FileEntry } from '../objects/entry.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { kindOf } from '../objects/kind.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import { entryClicks, leaveToRow, type RowEvents } from './entry-clicks.ts';
import classes from './object-grid.module.css';
import { RowMarks } from './row-marks.tsx';
import type { Sort } from './sort.ts';
import { linkToRow } from './use-folder-url.ts';

type Properties = RowEvents & {
  readonly id: string;
  readonly place: Place;
  readonly sort: Sort | undefined;
  readonly entry: Entry;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly active: boolean;
  readonly chosen: boolean;
  readonly opened: boolean;
  readonly locked: boolean;
  readonly fresh: boolean;
  readonly cut: boolean;
  /** What a search looked for. */
  readonly marked: string | undefined;
};

/** One row of a folder. The grid around it has the focus and handles the keys. */
export const ObjectRow = memo(function ObjectRow({
  id,
  place,
  sort,
  entry,
  index,
  top,
  height,
  active,
  chosen,
  opened,
  locked,
  fresh,
  cut,
  marked,
  ...events
}: Properties) {
  const file = entry.kind === 'file' ? entry : undefined;
  const displayName = visibleText(entry.name);
  const isDeleted = entry.deleted === true;
  const link = linkToRow(entry, place, sort);
  const { click, check, stretchFromLabel, menuAtPointer, menuAtButton } = entryClicks(index, events);
  // The row says its name once. Its cells repeat it for those who go through them one by one.
  const spoken = [
    displayName,
    file === undefined ? t('Folder') : formatBytes(file.size),
    file && whenOf(file, formatDateTime),
    locked ? t('You may not open this file') : undefined,
  ];
  return (
    <div
      id={id}
      role="row"
      aria-label={spoken.filter((part) => part !== undefined).join(', ')}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      className={classes.row}
      data-active={active || undefined}
      data-opened={opened || undefined}
      data-fresh={fresh || undefined}
      data-cut={cut || undefined}
      data-deleted={isDeleted || undefined}
      data-place={file === undefined && !isDeleted ? link : undefined}
      draggable={CAN_DRAG && !isDeleted}
      onDragStart={(event) => events.onDrag(index, event)}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={click}
      onContextMenu={menuAtPointer}
    >
      <div role="gridcell" className={classes.check}>
        <label className={classes.checkArea} onClick={stretchFromLabel}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={chosen}
            onChange={check}
            aria-label={t('Select {name}', { name: displayName })}
          />
        </label>
      </div>
      <div role="gridcell" className={classes.name}>
        <EntryIcon entry={entry} />
        <span className={classes.text}>
          <Link
            tabIndex={-1}
            to={link}
            onClick={leaveToRow}
            className={classes.link}
            title={displayName}
            aria-label={displayName}
            draggable={false}
          >
            <Name cut {...(marked !== undefined && { marked })}>
              {entry.name}
            </Name>
          </Link>
          {entry.place !== undefined && (
            <span className={classes.second}>
              {file !== undefined && <span className={classes.sizeBefore}>{formatBytes(file.size)} · </span>}
              <Name cut>{wayTo(entry.place)}</Name>
            </span>
          )}
          {entry.place === undefined && file !== undefined && (
            <span className={classes.second} aria-hidden>
              {formatBytes(file.size)} · {whenOf(file, formatDateTime)}
            </span>
          )}
        </span>
        <RowMarks deleted={isDeleted} locked={locked} className={classes.lock} />
      </div>
      <div role="gridcell" className={classes.size} title={file && t('{size} bytes', { size: file.size })}>
        {file === undefined ? '–' : formatBytes(file.size)}
      </div>
      <div role="gridcell" className={classes.time} title={file && whenOf(file, formatExactTime)}>
        {file === undefined ? '–' : formatDateTime(file.last_modified)}
      </div>
      <div role="gridcell" className={classes.type}>
        {isDeleted ? t('Deleted') : file === undefined ? t('Folder') : kindOf(file.key).label}
      </div>
      <div role="gridcell" className={classes.more}>
        <button
          type="button"
          className={classes.dots}
          tabIndex={-1}
          aria-label={t('Actions on {name}', { name: displayName })}
          onClick={menuAtButton}
        >
          <IconDots size={18} />
        </button>
      </div>
    </div>
  );
});

/** Where a search found a row. */
function wayTo({ provider, bucket, prefix }: Place): string {
  return [provider, bucket, ...prefix.split('/').slice(0, -1)].join(' / ');
}

/** When the object was modified, or deleted. */
function whenOf({ deleted, last_modified: time }: FileEntry, format: (time: string) => string): string {
  return deleted === true ? t('Deleted {time}', { time: format(time) }) : format(time);
}
