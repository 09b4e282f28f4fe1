import { Button, Group } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Fragment, useState, type ReactNode } from 'react';
import { t } from '../words/words.ts';
import classes from './data-table.module.css';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether the column name is only available to screen readers, for a column of buttons. */
  readonly silent?: boolean;
  /** The sort value of a row. Without it, the column cannot be sorted. */
  readonly sortBy?: (row: Row) => string | number;
  /** The order when the user first sorts by the column. */
  readonly startsWith?: 'descending';
  /** Whether the cells are not wrapped, such as times. */
  readonly short?: boolean;
  /** Whether a narrow screen hides the column when `narrow` is `rows`. */
  readonly wide?: boolean;
};

type Props<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The content below a row that is open. */
  readonly below?: (row: Row) => ReactNode;
  /** The layout on a narrow screen: each record as a card, or rows without the wide columns. */
  readonly narrow?: 'cards' | 'rows';
  /** False while more rows can be loaded, because sorting some of the rows would be misleading. */
  readonly sortable?: boolean;
  /** How many rows are drawn at first, and how many more each time that somebody asks. Without it, all are. */
  readonly atOnce?: number;
};

type Sort = { readonly column: string; readonly descending: boolean };

export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  below,
  narrow = 'cards',
  sortable = true,
  atOnce = Infinity,
}: Props<Row>) {
  const [chosen, setChosen] = useState<Sort>();
  const [most, setMost] = useState(atOnce);
  const sort = sortable ? chosen : undefined;
  return (
    <>
      <table className={classes.table} aria-label={label} data-narrow={narrow}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head
                key={column.name}
                column={column}
                sort={sort}
                {...(sortable && column.sortBy !== undefined && { onSort: setChosen })}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, columns, sort)
            .slice(0, most)
            .map((row) => (
              <Fragment key={keyOf(row)}>
                <tr>
                  {columns.map(({ name, cell, silent, short, wide }) => (
                    <td
                      key={name}
                      data-label={silent === true ? undefined : name}
                      data-wide={wide}
                      data-short={short}
                      data-silent={silent}
                    >
                      <div className={classes.cell}>{cell(row)}</div>
                    </td>
                  ))}
                </tr>
                <Below columns={columns.length}>{below?.(row)}</Below>
              </Fragment>
            ))}
        </tbody>
      </table>
      {rows.length > most && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => setMost(most + atOnce)}>
            {t('Show more')}
          </Button>
        </Group>
      )}
    </>
  );
}

function Below({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  if (children === undefined || children === null || children === false) return null;
  return (
    <tr className={classes.below}>
      <td colSpan={columns}>{children}</td>
    </tr>
  );
}

function Head<Row>({
  column: { name, silent, wide, startsWith },
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort?: (sort: Sort) => void;
}) {
  const current = sort?.column === name ? sort : undefined;
  const Arrow = current?.descending === true ? IconArrowDown : IconArrowUp;
  const order = current === undefined ? 'none' : current.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" data-wide={wide} {...(onSort !== undefined && { 'aria-sort': order })}>
      {onSort === undefined ? (
        <span className={silent === true ? classes.silent : undefined}>{name}</span>
      ) : (
        <button
          type="button"
          className={classes.sort}
          onClick={() =>
            onSort({
              column: name,
              descending: current === undefined ? startsWith === 'descending' : !current.descending,
            })
          }
        >
          {name}
          {current !== undefined && <Arrow size={14} aria-hidden />}
        </button>
      )}
    </th>
  );
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | undefined): readonly Row[] {
  const sortBy = columns.find(({ name }) => name === sort?.column)?.sortBy;
  if (sort === undefined || sortBy === undefined) return rows;
  const sign = sort.descending ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(sortBy(a), sortBy(b)));
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
