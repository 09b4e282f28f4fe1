import { IconLock, IconTrash } from '@tabler/icons-react';
import { t } from '../words/words.ts';
import grid from './object-grid.module.css';

/** Says by signs that a row was deleted, or may not be opened. */
export function RowMarks({
  deleted,
  locked,
  className,
}: {
  deleted: boolean;
  locked: boolean;
  className: string | undefined;
}) {
  const marks = [
    ...(deleted ? [{ Icon: IconTrash, says: t('Deleted') }] : []),
    ...(locked ? [{ Icon: IconLock, says: t('You may not open this file') }] : []),
  ];
  return marks.map(({ Icon, says }) => (
    <span key={says} className={className} title={says}>
      <Icon size={16} stroke={1.7} aria-hidden />
      <span className={grid.hidden}>{says}</span>
    </span>
  ));
}
