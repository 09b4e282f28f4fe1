import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useEffect, useMemo, useRef } from 'react';
import type { Entry } from '../objects/entry.ts';
import { t } from '../words/words.ts';
import classes from './object-grid.module.css';
import { isAllChosen } from './select-rest.tsx';
import type { Sort, SortColumn } from './sort.ts';
import type { RowSelection } from './use-selection.ts';

const COLUMNS: readonly {
  readonly column: SortColumn;
  readonly label: string;
  readonly className: string | undefined;
}[] = [
  { column: 'name', label: t('Name'), className: classes.name },
  { column: 'size', label: t('Size'), className: classes.size },
  { column: 'modified', label: t('Modified'), className: classes.time },
  { column: 'type', label: t('Type'), className: classes.type },
];

/** The header row: a sort button for each column, and a checkbox that selects all rows. */
export function GridHead({
  sort,
  onSort,
  rows,
  selection,
}: {
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
  rows: readonly Entry[];
  selection: RowSelection;
}) {
  const all = useMemo(() => isAllChosen(rows, selection), [rows, selection]);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = selection.chosen.size > 0 && !all;
  });
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        <div role="columnheader" className={classes.check}>
          <label className={classes.checkArea}>
            <input
              ref={box}
              type="checkbox"
              checked={all}
              onChange={() => (all ? selection.clear() : selection.add(rows))}
              aria-label={t('Select all rows')}
            />
          </label>
        </div>
        {COLUMNS.map(({ column, label, className }) => {
          const sorted = sort?.column === column;
          const isDescending = sorted && sort.descending;
          const Arrow = isDescending ? IconArrowDown : IconArrowUp;
          return (
            <div
              key={column}
              role="columnheader"
              className={className}
              aria-sort={sorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
            >
              <button
                type="button"
                className={classes.sort}
                onClick={() => onSort({ column, descending: sorted && !isDescending })}
              >
                {label}
                {sorted && <Arrow size={14} aria-hidden />}
              </button>
            </div>
          );
        })}
        <div role="columnheader" className={classes.more}>
          <span className={classes.hidden}>{t('Actions')}</span>
        </div>
      </div>
    </div>
  );
}
