import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { visibleText } from '../names/visible.ts';
import { PartMissing } from '../parts/part.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import classes from './details.module.css';
import { rangeReader } from './object-bytes.ts';
import { callParquetWorker, startParquetWorker } from './parquet-call.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';

/** The columns and the first rows of a Parquet file. The rest of the file is not read. */
export function ParquetPreview({ object, head: { size, etag } }: { object: ObjectRef; head: ObjectHead }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-parquet', object, size, etag],
    queryFn: async ({ signal, client }) =>
      (await callParquetWorker(startParquetWorker, {
        read: rangeReader(object, { etag, signal, client }),
        size,
        signal,
      })) ?? 'unreadable',
    throwOnError: (thrown) => thrown instanceof PartMissing,
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  if (data === 'unreadable')
    return <NoPreview>{t('This Parquet file cannot be read here. Download it to open it.')}</NoPreview>;
  const { columns, columnCount, rows, count } = data;
  const valueCount = rows?.[0]?.length;
  return (
    <>
      <div
        className={classes.scroll}
        tabIndex={0}
        role="group"
        aria-label={t('Content of {key}', { key: visibleText(baseName(object.key)) })}
      >
        <table className={`${classes.table} tabular`}>
          <thead>
            <tr>
              {columns.map(({ name, type }, column) => (
                <th key={column} scope="col" title={`${name}, ${type}`}>
                  {name}{' '}
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
        {plural(count, '{count} row', '{count} rows')}, {plural(columnCount, '{count} column', '{count} columns')}.{' '}
        {rows === undefined
          ? t(
              'The rows cannot be shown here because of their compression or their size. Download the file to see them.',
            )
          : rows.length < count &&
            `${plural(rows.length, 'The first row is shown.', 'The first {count} rows are shown.')} `}
        {valueCount !== undefined &&
          valueCount < columnCount &&
          t('Values are shown for the first {count} columns.', { count: valueCount })}
      </Text>
    </>
  );
}
