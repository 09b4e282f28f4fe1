/** A Parquet file of text columns without rows. */
export function parquetOf(columns: readonly string[]): Buffer {
  const schema = [
    // The root, with its name and its number of columns.
    Buffer.concat([text(4, 'root'), number(1, columns.length), STOP]),
    // A byte array that may be missing, with its name.
    ...columns.map((name) => Buffer.concat([number(1, 6), number(2, 1), text(1, name), STOP])),
  ];
  const metadata = Buffer.concat([number(1, 2), list(1, schema), number(1, 0, INT_64), list(1, []), STOP]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([MARK, metadata, length, MARK]);
}

/** A Parquet file of one text column, each of whose values is the same as the one before: as many copies of `size` bytes. */
export function repeatingParquetOf(values: number, size: number): Buffer {
  const blocks = Buffer.alloc(5 * Math.ceil(Math.max(0, values - 129) / 128));
  const start = Buffer.concat([varint(128), varint(4), varint(values)]);
  const firsts = Buffer.alloc(32 * 4);
  firsts.writeUInt32LE(size);
  const others = Buffer.concat(Array.from({ length: 127 }, () => firsts.subarray(0, 4)));
  const page = Buffer.concat([
    // How many bytes of each value are those of the one before, as differences: none of the first, all of the others.
    ...[start, varint(0), varint(0), Buffer.from([32, 0, 0, 0]), firsts, blocks],
    // How many are its own: all of the first, none of the others.
    ...[start, varint(size * 2), varint(size * 2 - 1), Buffer.from([32, 32, 32, 32]), Buffer.alloc(4), others, blocks],
    Buffer.alloc(size, 'a'),
  ]);
  const counts = [number(1, values), number(1, 7), number(1, 3), number(1, 3), STOP];
  const header = Buffer.concat([
    ...[number(1, 0), number(1, page.length), number(1, page.length)],
    ...[Buffer.from([(2 << 4) | STRUCT]), ...counts, STOP],
  ]);
  const length = header.length + page.length;
  const column = Buffer.concat([
    ...[number(1, 6), Buffer.from([(1 << 4) | LIST, (1 << 4) | INT_32]), varint(14)],
    ...[Buffer.from([(1 << 4) | LIST, (1 << 4) | BINARY]), varint(1), Buffer.from('a'), number(1, 0)],
    ...[number(1, values, INT_64), number(1, length, INT_64), number(1, length, INT_64), number(2, 4, INT_64), STOP],
  ]);
  const chunk = Buffer.concat([number(2, 4, INT_64), Buffer.from([(1 << 4) | STRUCT]), column, STOP]);
  const group = Buffer.concat([list(1, [chunk]), number(1, length, INT_64), number(1, values, INT_64), STOP]);
  const schema = [
    Buffer.concat([text(4, 'root'), number(1, 1), STOP]),
    Buffer.concat([number(1, 6), number(2, 0), text(1, 'a'), STOP]),
  ];
  const metadata = Buffer.concat([
    ...[number(1, 2), list(1, schema), number(1, values, INT_64), list(1, [group]), STOP],
  ]);
  const end = Buffer.alloc(4);
  end.writeUInt32LE(metadata.length);
  return Buffer.concat([MARK, header, page, metadata, end, MARK]);
}

// The metadata is in the compact protocol of Thrift: a field begins with its distance to the field before and its type.
const MARK = Buffer.from('PAR1');
const STOP = Buffer.from([0]);
const [INT_32, INT_64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];

function number(distance: number, value: number, type = INT_32): Buffer {
  return Buffer.concat([Buffer.from([(distance << 4) | type]), varint(value * 2)]);
}

function text(distance: number, value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(distance << 4) | BINARY]), varint(bytes.length), bytes]);
}

function list(distance: number, structs: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([(distance << 4) | LIST, 0xf0 | STRUCT]), varint(structs.length), ...structs]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, Math.floor(value / 0x80 ** bytes.length)]);
}
