import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ObjectRef } from '../actions/object-calls.ts';
import { ApiError } from '../api/api-error.ts';
import { formatNumber } from '../format/format.ts';
import { visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import classes from './details.module.css';
import { readRange } from './object-bytes.ts';
import { readParquet } from './parquet-table.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';

/** The columns and the first rows of a Parquet file, of which no more is read. */
export function ParquetPreview({ object, size }: { object: ObjectRef; size: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-parquet', object],
    queryFn: async ({ signal }) => {
      try {
        return (await readParquet((from, to) => readRange(object, from, to, signal), size)) ?? 'unreadable';
      } catch (thrown) {
        if (thrown instanceof ApiError) throw thrown;
        return 'unreadable';
      }
    },
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  if (data === 'unreadable') return <NoPreview>This is no Parquet file that can be read. Download it to open it.</NoPreview>;
  const { columns, rows, count } = data;
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={`Content of ${visibleText(baseName(object.key))}`}>
        <table className={`${classes.table} tabular`}>
          <thead>
            <tr>
              {columns.map(({ name, type }, column) => (
                <th key={column} scope="col" title={`${visibleText(name)}, ${type}`}>
                  {visibleText(name)}{' '}
                  <Text span size="xs" c="dimmed">
                    {type}
                  </Text>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows?.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, column) => (
                  <td key={column} title={cell}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Text size="xs" c="dimmed" className={classes.note}>
        {formatNumber(count)} rows, {formatNumber(columns.length)} columns.{' '}
        {rows === undefined ? 'The rows are packed so that they cannot be shown here. Download the file to see them.' : rows.length < count && `The first ${formatNumber(rows.length)} are shown.`}
      </Text>
    </>
  );
}
