import { memo } from 'react';
import { Link } from 'react-router';
import { formatBytes } from '../../format/byte-size.ts';
import { formatDateTime, formatExactTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import type { FileEntry } from '../objects/entry.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { kindOf } from '../objects/kind.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { RowEvents } from './entry-clicks.ts';
import { entryParts, type EntryState } from './entry-parts.tsx';
import classes from './object-grid.module.css';
import { RowMarks } from './row-marks.tsx';

type Properties = EntryState &
  RowEvents & {
    readonly top: number;
    readonly height: number;
    /** What a search looked for. */
    readonly marked: string | undefined;
  };

/** One row of a folder. The grid around it has the focus and handles the keys. */
export const ObjectRow = memo(function ObjectRow({ top, height, marked, ...state }: Properties) {
  const { entry, index, locked } = state;
  const file = entry.kind === 'file' ? entry : undefined;
  const { displayName, isDeleted, element, link, check, dots } = entryParts(state, state);
  // The row says its name once. Its cells repeat it for those who go through them one by one.
  const spoken = [
    displayName,
    file === undefined ? t('Folder') : formatBytes(file.size),
    file && whenOf(file, formatDateTime),
    locked ? t('You may not open this file') : undefined,
  ];
  return (
    <div
      role="row"
      aria-label={spoken.filter((part) => part !== undefined).join(', ')}
      aria-rowindex={index + 2}
      className={classes.row}
      style={{ height, transform: `translateY(${top}px)` }}
      {...element}
    >
      <div role="gridcell" className={classes.check}>
        {check()}
      </div>
      <div role="gridcell" className={classes.name}>
        <EntryIcon entry={entry} />
        <span className={classes.text}>
          <Link {...link} title={displayName}>
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
        {dots}
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
