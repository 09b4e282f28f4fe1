import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export type Column<Row> = { readonly name: string; readonly cell: (row: Row) => ReactNode; /** For a column of buttons: its name is only read out. */ readonly silent?: boolean };

type Props<Row> = { readonly label: string; readonly columns: readonly Column<Row>[]; readonly rows: readonly Row[]; readonly keyOf: (row: Row) => string };

/** A table of records; on a narrow screen each record is a card. */
export function DataTable<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, silent }) => (
            <th key={name} scope="col">
              {silent === true ? <span className={classes.silent}>{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, cell, silent }) => (
              <td key={name} data-label={silent === true ? undefined : name}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
