import { t } from '../words/words.ts';
import { cutName } from './cut.ts';
import classes from './name.module.css';
import { piecesOf, type Piece } from './visible.ts';

/**
 * A name that comes from storage. It is isolated from the text direction around it, and invisible characters are made visible.
 *
 * @param cut - keeps the name on one line, and shortens it in the middle if there is no room. The end stays visible.
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
    <span key={index} className={classes.hidden} title={t('Invisible character')}>
      {text}
    </span>
  );
}
