import { parquetMetadataAsync, parquetReadObjects, parquetSchema, type SchemaElement } from 'hyparquet';
import type { ReadRange } from './zip-directory.ts';

export type ParquetColumn = { readonly name: string; readonly type: string };
/** `rows` is undefined when they cannot be read here: they are packed in a way that browsers do not know, or too many bytes lie before them. */
export type ParquetTable = { readonly columns: readonly ParquetColumn[]; readonly count: number; readonly rows: readonly (readonly string[])[] | undefined };

const MOST_ROWS = 100;
const MOST_COLUMNS = 60;
const MOST_BYTES = 16_777_216;
const MOST_CHARACTERS = 300;
/** How a page may be packed, so that it can be unpacked without a further library. */
const PACKINGS = new Set(['UNCOMPRESSED', 'SNAPPY']);

/** Reads the columns and the first rows of a Parquet file. @returns undefined when it is none. */
export async function readParquet(read: ReadRange, size: number): Promise<ParquetTable | undefined> {
  let bytesLeft = MOST_BYTES;
  const file = {
    byteLength: size,
    slice: async (from: number, to = size): Promise<ArrayBuffer> => {
      bytesLeft -= to - from;
      if (from < 0 || to > size || from >= to || bytesLeft < 0) throw new RangeError('these bytes are not read');
      return new Uint8Array(await read(from, to)).buffer;
    },
  };
  const tail = await read(Math.max(0, size - 4), size);
  if (new TextDecoder().decode(tail) !== 'PAR1') return undefined;
  const metadata = await parquetMetadataAsync(file);
  const columns = parquetSchema(metadata).children.map(({ element }) => ({ name: element.name, type: typeOf(element) }));
  const count = Number(metadata.num_rows);
  const shown = columns.slice(0, MOST_COLUMNS).map(({ name }) => name);
  const isReadable = metadata.row_groups.every(({ columns: chunks }) => chunks.every(({ meta_data: data }) => data === undefined || PACKINGS.has(data.codec)));
  if (!isReadable) return { columns, count, rows: undefined };
  try {
    const rows = await parquetReadObjects({ file, metadata, columns: shown, rowStart: 0, rowEnd: Math.min(count, MOST_ROWS), useOffsetIndex: true });
    return { columns, count, rows: rows.map((row) => shown.map((name) => textOf(row[name]))) };
  } catch (error) {
    if (error instanceof RangeError) return { columns, count, rows: undefined };
    throw error;
  }
}

function typeOf({ logical_type: logical, converted_type: converted, type, num_children: children }: SchemaElement): string {
  return (logical?.type ?? converted ?? type ?? (children === undefined ? 'unknown' : 'group')).toLowerCase().replaceAll('_', ' ');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString().replace('T00:00:00.000Z', '');
  const text = typeof value === 'object' ? JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) : String(value as string | number | bigint | boolean);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
