import { t } from '../words/words.ts';
import { cutName } from './cut.ts';
import classes from './name.module.css';
import { markedPieces, type MarkedPiece } from './marked.ts';
import { piecesOf } from './visible.ts';

/**
 * A name that comes from storage. It is isolated from the text direction around it, and invisible characters are made visible.
 *
 * @param cut - keeps the name on one line, and shortens it in the middle if there is no room. The end stays visible.
 * @param marked - what a search looked for, which is marked.
 */
export function Name({ children, cut = false, marked = '' }: { children: string; cut?: boolean; marked?: string }) {
  const pieces = markedPieces(piecesOf(children), marked);
  if (!cut) return <bdi>{joined(pieces).map(draw)}</bdi>;
  const [start, end] = cutName(pieces);
  return (
    <bdi className={classes.cut}>
      <span className={classes.start}>{joined(start).map(draw)}</span>
      {end.length > 0 && <span className={classes.end}>{joined(end).map(draw)}</span>}
    </bdi>
  );
}

/** The pieces with one for invisible characters in a row. The browser takes seconds for an element of each in a folder of names with hundreds. */
function joined(pieces: readonly MarkedPiece[]): readonly MarkedPiece[] {
  const rows: MarkedPiece[] = [];
  for (const piece of pieces) {
    const last = rows.at(-1);
    if (last?.isHidden === true && piece.isHidden) rows[rows.length - 1] = { ...last, text: last.text + piece.text };
    else rows.push(piece);
  }
  return rows;
}

function draw({ text, isHidden, isMarked }: MarkedPiece, index: number) {
  if (isMarked === true)
    return (
      <mark key={index} className={classes.marked}>
        {text}
      </mark>
    );
  if (!isHidden) return text;
  return (
    <span key={index} className={classes.hidden} title={t('Invisible character')}>
      {text}
    </span>
  );
}
