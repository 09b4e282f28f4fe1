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
