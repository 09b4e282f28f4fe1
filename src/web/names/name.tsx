import { t } from '../words/words.ts';
import { cutName } from './cut.ts';
import classes from './name.module.css';
import { piecesOf, type Piece } from './visible.ts';

/**
 * A name that somebody gave to an object: apart from the direction of the text around it, and with what cannot be seen made visible.
 *
 * @param cut - whether it stands in one line, and is cut in the middle where that has no room: the ending stays.
 */
export function Name({ children, cut = false }: { children: string; cut?: boolean }) {
  const pieces = piecesOf(children);
  if (!cut) return <bdi>{pieces.map(draw)}</bdi>;
  const [start, end] = cutName(pieces);
  return (
    <bdi className={classes.cut}>
      <span className={classes.start}>{start.map(draw)}</span>
      {end.length > 0 && <span className={classes.end}>{end.map(draw)}</span>}
    </bdi>
  );
}

function draw({ text, isHidden }: Piece, index: number) {
  if (!isHidden) return text;
  return (
    <span key={index} className={classes.hidden} title={t('A character that cannot be seen')}>
      {text}
    </span>
  );
}
