import {
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type ColumnChunk,
  type ColumnMetaData,
  type FileMetaData,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet';
import { getTreePath } from 'hyparquet/src/schema.js';
import { inBlocks } from './blocks.ts';
import { visibleText } from '../names/visible.ts';
import { firstRows, shownCell, shownName } from './cells.ts';
import { PageWalk, type Part } from './parquet-pages.ts';
import type { ReadRange } from './zip-directory.ts';

export type ParquetColumn = { readonly name: string; readonly type: string };
/** `columns` are the first of `columnCount`, and the first of them have values. `rows` is undefined if they cannot be read: their compression is not supported, or they exceed the limits of a preview. */
export type ParquetTable = {
  readonly columns: readonly ParquetColumn[];
  readonly columnCount: number;
  readonly count: number;
  readonly rows: readonly (readonly string[])[] | undefined;
};

const MOST_ROWS = 100;
const MOST_COLUMNS = 60;
/** A file may have hundreds of thousands of columns. */
const MOST_NAMES = 1_000;
const MOST_FOOTER_BYTES = 4_194_304;
const LENGTH_AND_MARK = 8;
/** The compression codecs that need no further library. */
const PACKINGS = new Set(['UNCOMPRESSED', 'SNAPPY']);

/**
 * Reads the columns and the first rows of a Parquet file, with limits on the number of bytes.
 *
 * Decoding a malicious file may still take any amount of time and memory, so it runs in a worker (`parquet-call.ts`).
 *
 * @returns undefined if it is not a Parquet file, or has no columns.
 */
export async function readParquet(read: ReadRange, size: number): Promise<ParquetTable | undefined> {
  const bytes = inBlocks(read, size);
  const metadata = await metadataOf(bytes, size);
  const count = Number(metadata?.num_rows);
  if (metadata === undefined || !Number.isSafeInteger(count) || count < 0) return undefined;
  const elements = parquetSchema(metadata).children.map(({ element }) => element);
  if (elements.length === 0) return undefined;
  const names = elements.slice(0, MOST_COLUMNS).map(({ name }) => name);
  const table = { columns: columnsOf(elements), columnCount: elements.length, count };
  try {
    return { ...table, rows: await rowsOf(bytes, size, metadata, names, Math.min(count, MOST_ROWS)) };
  } catch {
    return { ...table, rows: undefined };
  }
}

function columnsOf(elements: readonly SchemaElement[]): readonly ParquetColumn[] {
  const shown = elements.slice(0, MOST_NAMES).map((element) => [visibleText(shownName(element.name)), typeOf(element)]);
  return firstRows(shown).map(([name = '', type = '']) => ({ name, type }));
}

async function metadataOf(read: ReadRange, size: number): Promise<FileMetaData | undefined> {
  if (size <= LENGTH_AND_MARK) return undefined;
  const end = await read(size - LENGTH_AND_MARK, size);
  if (new TextDecoder().decode(end.subarray(4)) !== 'PAR1') return undefined;
  const bytes = LENGTH_AND_MARK + new DataView(end.buffer).getUint32(0, true);
  if (bytes > Math.min(size, MOST_FOOTER_BYTES)) return undefined;
  return parquetMetadata(await read(size - bytes, size), { geoparquet: false });
}

async function rowsOf(
  read: ReadRange,
  size: number,
  metadata: FileMetaData,
  names: readonly string[],
  count: number,
): Promise<readonly (readonly string[])[]> {
  const tree = parquetSchema(metadata);
  const walk = new PageWalk(read, count);
  const firstPart = async (chunk: ColumnChunk): Promise<ColumnChunk> => {
    const { meta_data: column } = chunk;
    if (column === undefined || !PACKINGS.has(column.codec)) throw new RangeError('this packing is not known here');
    return {
      ...chunk,
      meta_data: within(column, await walk.partOf(column, getTreePath(tree, column.path_in_schema))),
    };
  };
  const groups: RowGroup[] = [];
  let rows = 0;
  for (const group of metadata.row_groups) {
    if (rows >= count) break;
    rows += Number(group.num_rows);
    const chunks = group.columns.filter((chunk) => names.includes(chunk.meta_data?.path_in_schema[0] ?? ''));
    groups.push({ ...group, columns: await Promise.all(chunks.map(firstPart)) });
  }
  const file = {
    byteLength: size,
    slice: async (from: number, to = size) => (await read(from, to)).buffer as ArrayBuffer,
  };
  const found = await parquetReadObjects({
    file,
    metadata: { ...metadata, row_groups: groups },
    columns: [...names],
    rowStart: 0,
    rowEnd: count,
  });
  return firstRows(found.map((row) => names.map((name) => textOf(row[name]))));
}

/** The metadata of a column that is shortened to a part. */
function within(column: ColumnMetaData, { from, to }: Part): ColumnMetaData {
  return { ...column, total_compressed_size: BigInt(to - from) };
}

function typeOf({
  logical_type: logical,
  converted_type: converted,
  type,
  num_children: children,
}: SchemaElement): string {
  return (logical?.type ?? converted ?? type ?? (children === undefined ? 'unknown' : 'group'))
    .toLowerCase()
    .replaceAll('_', ' ');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? '' : value.toISOString().replace('T00:00:00.000Z', '');
  const text =
    typeof value === 'object'
      ? JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner))
      : `${value as string | number | bigint | boolean}`;
  return shownCell(text);
}
