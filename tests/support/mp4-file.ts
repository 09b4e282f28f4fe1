/** A box of an MP4. */
export function box(type: string, ...parts: readonly (Uint8Array | string)[]): Buffer<ArrayBuffer> {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return Buffer.concat([numbers(content.length + 8), Buffer.from(type, 'latin1'), content]);
}

/** Numbers of 32 bits. */
export function numbers(...values: readonly number[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

/** What a sound track says of itself. Its samples are all as long, so that no number of them takes more bytes. */
export type Mp4Sound = {
  readonly samples?: number;
  readonly entry?: 'mp4a' | 'sowt';
  readonly handler?: string;
  readonly ticks?: number;
  readonly edits?: number;
  readonly chunks?: number;
  readonly inChunk?: number;
  readonly inEntry?: readonly Uint8Array[];
  readonly inTable?: readonly Uint8Array[];
};

/** An MP4 with a sound track, which is silent, `before` and `behind` other boxes. */
export function mp4Of(
  sound: Mp4Sound,
  {
    before = [],
    behind = [],
  }: { readonly before?: readonly Uint8Array[]; readonly behind?: readonly Uint8Array[] } = {},
): Uint8Array<ArrayBuffer> {
  const movie = box(
    'mvhd',
    numbers(0, 0, 0, 44_100, 10_240, 0x10000, 0x01000000, 0, 0),
    MATRIX,
    numbers(0, 0, 0, 0, 0, 0, 2),
  );
  return new Uint8Array(
    Buffer.concat([
      box('ftyp', 'M4A \0\0\0\0M4A isom'),
      ...before,
      box('moov', movie, trackOf(sound)),
      box('mdat', Buffer.alloc(4_096, 0x21)),
      ...behind,
    ]),
  );
}

const MATRIX = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const ESDS = Buffer.from('000000000319000000041140150000000001f4000001f400050212100601 02'.replaceAll(' ', ''), 'hex');

/** The box of a sound track. */
export function trackOf({
  samples = 10,
  entry = 'mp4a',
  handler = 'soun',
  ticks = 1_024,
  edits = 1,
  chunks = 1,
  inChunk = 10,
  inEntry = [],
  inTable = [],
}: Mp4Sound): Buffer<ArrayBuffer> {
  const fields = numbers(0, 1, 0, 0, 0x00020010, 0, 44_100 * 0x10000);
  const description = box(entry, fields, ...(entry === 'mp4a' ? [box('esds', ESDS)] : []), ...inEntry);
  const table = box(
    'stbl',
    box('stsz', numbers(0, 4, samples)),
    box('stts', numbers(0, 1, samples, ticks)),
    box('stsc', numbers(0, 1, 1, inChunk, 1)),
    box('stco', numbers(0, chunks), Buffer.alloc(4 * chunks)),
    box('stsd', numbers(0, 1), description),
    ...inTable,
  );
  const media = box(
    'minf',
    box('smhd', numbers(0, 0)),
    box('dinf', box('dref', numbers(0, 1), box('url ', numbers(1)))),
    table,
  );
  return box(
    'trak',
    box('tkhd', numbers(7, 0, 0, 1, 0, 10_240, 0, 0, 0, 0x01000000), MATRIX, numbers(0, 0)),
    box('edts', box('elst', numbers(0, edits), Buffer.alloc(12 * edits, numbers(10_240, 0, 0x10000)))),
    box(
      'mdia',
      box('mdhd', numbers(0, 0, 0, 44_100, 10_240, 0x55c40000)),
      box('hdlr', numbers(0, 0), handler, Buffer.alloc(13)),
      media,
    ),
  );
}
