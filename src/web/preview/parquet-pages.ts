import type { ColumnMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { isFlatColumn } from 'hyparquet/src/schema.js';
import type { ReadRange } from './zip-directory.ts';

type DataPageHeaderV2 = NonNullable<PageHeader['data_page_header_v2']>;

/** The maximum size of a decompressed page. */
const MOST_PAGE_BYTES = 8_388_608;
/** The maximum size of all decompressed pages. */
const MOST_UNPACKED_BYTES = 67_108_864;
/** The maximum number of values in a page. */
const MOST_VALUES = 1_048_576;
const MOST_PAGES = 1_000;
/** The maximum compression ratio of Snappy, which compresses 64 bytes to no less than three. */
const MOST_SNAPPY = 22;
/** The maximum size of a page header, which also contains the minimum and the maximum value of the page. */
const HEADER_BYTES = 16_384;

/** The part of a column that has to be read for its first rows, in bytes from the start of the file. */
export type Part = { readonly from: number; readonly to: number };

/** Checks the headers of pages before they are decoded, because a decoder allocates memory for the declared sizes before it notices that they are wrong. */
export class PageWalk {
  readonly #read: ReadRange;
  readonly #rows: number;
  #pagesLeft = MOST_PAGES;
  #bytesLeft = MOST_UNPACKED_BYTES;

  /** @param rows - the number of rows to read. */
  constructor(read: ReadRange, rows: number) {
    this.#read = read;
    this.#rows = rows;
  }

  /**
   * Finds the part of a column that contains the first rows.
   *
   * @param path - the column in the schema. If it is not flat, a row may have several values, and the whole column has to be read to find the ends of the rows.
   * @throws {RangeError} if the pages exceed the limits or a header is inconsistent.
   */
  async partOf(column: ColumnMetaData, path: SchemaTree[]): Promise<Part> {
    const isFlat = isFlatColumn(path);
    const from = Number(column.dictionary_page_offset || column.data_page_offset);
    const end = from + Number(column.total_compressed_size);
    let [at, rows] = [from, 0];
    while (at < end && !(isFlat && rows >= this.#rows)) {
      const bytes = await this.#read(at, Math.min(end, at + HEADER_BYTES));
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
      const header = parquetHeader(reader);
      const packed = header.compressed_page_size;
      const page = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
      if (page === undefined || !isTrue(header.data_page_header_v2, packed))
        throw new RangeError('a page has no true header');
      this.#take(column.codec, packed, header.uncompressed_page_size, page.num_values);
      if (page.encoding === 'DELTA_BYTE_ARRAY') {
        const content = await this.#read(at + reader.offset, Math.min(end, at + reader.offset + packed));
        this.#bytesLeft -= repeatedBytes(content, header, column, path);
        if (!(this.#bytesLeft >= 0)) throw new RangeError('the values of a page repeat more than is unpacked here');
      }
      at += reader.offset + packed;
      if (at > end) throw new RangeError('a page goes beyond its column');
      if (header.type !== 'DICTIONARY_PAGE') rows += page.num_values;
    }
    return { from, to: at };
  }

  #take(codec: string, packed: number, unpacked: number, values: number): void {
    const most = codec === 'SNAPPY' ? packed * MOST_SNAPPY : packed;
    this.#pagesLeft -= 1;
    this.#bytesLeft -= unpacked;
    const isTaken =
      isWithin(packed, Number.MAX_SAFE_INTEGER) &&
      isWithin(unpacked, Math.min(most, MOST_PAGE_BYTES)) &&
      isWithin(values, MOST_VALUES) &&
      this.#pagesLeft >= 0 &&
      this.#bytesLeft >= 0;
    if (!isTaken) throw new RangeError('a page declares more than is unpacked here');
  }
}

/** How many bytes of a page the decoder copies because each value begins like the one before. Their numbers are the first that the page holds. */
function repeatedBytes(
  content: Uint8Array,
  header: PageHeader,
  { codec, path_in_schema: pathInSchema }: ColumnMetaData,
  schemaPath: SchemaTree[],
): number {
  const { element } = schemaPath.at(-1)!;
  const decoder = { pathInSchema, type: 'INT32', element, schemaPath, codec, parsers: DEFAULT_PARSERS } as const;
  const encoding = 'DELTA_BINARY_PACKED';
  const { data_page_header: first, data_page_header_v2: second } = header;
  const { dataPage } =
    first === undefined
      ? readDataPageV2(content, { ...header, data_page_header_v2: { ...second!, encoding } }, decoder)
      : readDataPage(
          decompressPage(content, header.uncompressed_page_size, codec, undefined),
          { ...first, encoding },
          decoder,
        );
  return (dataPage as Int32Array).reduce((sum, bytes) => sum + bytes, 0);
}

/** Whether a header of version 2 is consistent with the size of its page. */
function isTrue(header: DataPageHeaderV2 | undefined, packed: number): boolean {
  if (header === undefined) return true;
  const {
    num_values: values,
    num_nulls: nulls,
    num_rows: rows,
    definition_levels_byte_length: definitions,
    repetition_levels_byte_length: repetitions,
  } = header;
  return (
    isWithin(nulls, values) &&
    isWithin(rows, values) &&
    isWithin(definitions, packed) &&
    isWithin(repetitions, packed - definitions)
  );
}

function isWithin(value: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= most;
}
