import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Papa from 'papaparse';
import { formatBytes } from '../../transfer/byte-size.ts';
import type { ObjectRef } from '../actions/object-calls.ts';
import { formatNumber } from '../format/format.ts';
import { visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { decodeText } from './decode-text.ts';
import classes from './details.module.css';
import { readHead } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';

const MOST_BYTES = 512_000;
const MOST_ROWS = 300;
const MOST_COLUMNS = 60;

type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[]; readonly isCut: boolean };

/** A CSV or TSV file as a table; its first row is the head. */
export function CsvPreview({ object, size }: { object: ObjectRef; size: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-csv', object],
    queryFn: async ({ signal }) => {
      const { bytes, isCut } = await readHead(object, size, MOST_BYTES, signal);
      const text = decodeText(bytes, isCut);
      return text === undefined ? 'binary' : tableOf(text, isCut);
    },
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  if (data === 'binary') return <NoPreview>This file holds no text. Download it to open it.</NoPreview>;
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={`Content of ${visibleText(baseName(object.key))}`}>
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
      <Text size="xs" c="dimmed" className={classes.note}>
        {data.isCut ? `The first ${formatNumber(data.rows.length)} rows of a file of ${formatBytes(size)}. Download it to see all of it.` : `${formatNumber(data.rows.length)} rows`}
      </Text>
    </>
  );
}

function tableOf(text: string, isCut: boolean): Table {
  const { data, meta } = Papa.parse<string[]>(text, { preview: MOST_ROWS + 1, skipEmptyLines: 'greedy' });
  const stopsInside = isCut && !meta.truncated;
  const [head = [], ...rows] = stopsInside ? data.slice(0, -1) : data;
  const columns = Math.min(Math.max(head.length, ...rows.map((row) => row.length)), MOST_COLUMNS);
  return { head: Array.from({ length: columns }, (_, column) => head[column] ?? ''), rows, isCut: isCut || meta.truncated };
}
