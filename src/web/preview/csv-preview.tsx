import { Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../format/byte-size.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { visibleText } from '../names/visible.ts';
import { PartMissing } from '../parts/part.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import type { CsvTable } from './csv-table.ts';
import { decodeText } from './decode-text.ts';
import classes from './details.module.css';
import { readHead } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';
import { callWorker, webWorker } from './worker-call.ts';

/** The maximum size of the table at first. Each click on “Show more” multiplies it by {@link MORE}. */
const FIRST = { bytes: 512_000, rows: 300 };
const MORE = 4;
/** Longer tables would take too long to render. */
const MOST_ROWS = FIRST.rows * MORE ** 2;

const startCsvWorker = webWorker<CsvTable>(
  () => new Worker(new URL('./csv-worker.ts', import.meta.url), { type: 'module' }),
);

/** A CSV or TSV file as a table. The first row is the header. */
export function CsvPreview({ object, head }: { object: ObjectRef; head: ObjectHead }) {
  const [times, setTimes] = useState(1);
  const rows = FIRST.rows * times;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['preview-csv', object, times],
    queryFn: async ({ signal }) => {
      const { bytes, isCut } = await readHead(object, head, FIRST.bytes * times, signal);
      const text = decodeText(bytes, isCut);
      if (text === undefined) return 'binary';
      return (await callWorker(startCsvWorker, { task: { text, isCut, most: rows }, signal })) ?? 'unreadable';
    },
    throwOnError: (thrown) => thrown instanceof PartMissing,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  if (data === 'binary') return <NoPreview>{t('This is not a text file. Download it to open it.')}</NoPreview>;
  if (data === 'unreadable')
    return <NoPreview>{t('This table cannot be read here. Download it to open it.')}</NoPreview>;
  const hasMore = data.isCut && !data.isFull && rows < MOST_ROWS;
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
              {data.head.map((name, column) => (
                <th key={column} scope="col" title={name}>
                  {name || '–'}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((cells, row) => (
              <tr key={row}>
                {data.head.map((_, column) => (
                  <td key={column} title={cells[column]}>
                    {cells[column]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Group gap="xs" className={classes.note}>
        <Text size="xs" c="dimmed">
          {data.isCut
            ? t('The first {count} rows of a file of {size}.', {
                count: data.rows.length,
                size: formatBytes(head.size),
              })
            : plural(data.rows.length, '{count} row', '{count} rows')}
          {data.head.length < data.columnCount &&
            ` ${t('The first {shown} of {count} columns.', { shown: data.head.length, count: data.columnCount })}`}
          {data.isCut && !hasMore && ` ${t('Download it to see all of it.')}`}
        </Text>
        {hasMore && (
          <Button size="compact-xs" variant="subtle" loading={isFetching} onClick={() => setTimes(times * MORE)}>
            {t('Show more')}
          </Button>
        )}
      </Group>
    </>
  );
}
