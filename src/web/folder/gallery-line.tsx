import { Link } from 'react-router';
import { formatBytes } from '../../format/byte-size.ts';
import { Name } from '../names/name.tsx';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { Thumbnail } from '../preview/thumbnail.tsx';
import type { RowEvents } from './entry-clicks.ts';
import { entryParts, type EntryState } from './entry-parts.tsx';
import classes from './gallery.module.css';
import { RowMarks } from './row-marks.tsx';
import { GAP, type Tiles } from './use-tiles.ts';

type TileProperties = EntryState & { readonly readable: boolean };

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

function Tile({ readable, events, ...state }: TileProperties & { events: RowEvents }) {
  const { place, entry, locked } = state;
  const { displayName, isDeleted, element, link, check, dots } = entryParts(state, events);
  const icon = <EntryIcon entry={entry} size={entry.kind === 'folder' ? 64 : 44} />;
  return (
    <div role="gridcell" className={classes.tile} {...element}>
      <div className={classes.picture} data-kind={entry.kind}>
        {entry.kind === 'file' && readable ? <Thumbnail place={place} file={entry} instead={icon} /> : icon}
        <RowMarks deleted={isDeleted} locked={locked} className={classes.lock} />
        {check(classes.check)}
      </div>
      <div className={classes.name}>
        <Link {...link} title={entry.kind === 'folder' ? displayName : `${displayName} · ${formatBytes(entry.size)}`}>
          <Name cut>{entry.name}</Name>
        </Link>
        {dots}
      </div>
    </div>
  );
}
