import { crc32, deflateSync } from 'node:zlib';

/** A GIF of ten by ten pixels whose frames are of one pixel. @param isControlled - they are taken away again after they were shown. */
export function animatedGif(frames: number, isControlled = true): Uint8Array<ArrayBuffer> {
  const head = [...Buffer.from('GIF89a'), 10, 0, 10, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
  const control = isControlled ? [0x21, 0xf9, 4, 3 << 2, 2, 0, 0, 0] : [];
  const frame = [...control, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
  return new Uint8Array(
    Buffer.concat([Buffer.from(head), Buffer.alloc(frames * frame.length, Buffer.from(frame)), Buffer.from([0x3b])]),
  );
}

/** The same as a PNG. */
export function animatedPng(frames: number): Uint8Array<ArrayBuffer> {
  const pixel = deflateSync(Buffer.alloc(2));
  const chunks = Array.from({ length: frames }, (_, index) => {
    const sequence = index === 0 ? 0 : index * 2 - 1;
    const side = index === 0 ? 10 : 1;
    const control = Buffer.concat([numbers(sequence, side, side, 0, 0), Buffer.from([0, 1, 0, 50, 2, 1])]);
    const data = index === 0 ? PNG_PIXELS : chunk('fdAT', Buffer.concat([numbers(sequence + 1), pixel]));
    return Buffer.concat([chunk('fcTL', control), data]);
  });
  return png(chunk('acTL', numbers(frames, 0)), ...chunks);
}

/** A PNG of ten by ten pixels with empty chunks in front of them. */
export function chunkedPng(empty: number): Uint8Array<ArrayBuffer> {
  const one = chunk('IDAT', Buffer.alloc(0));
  return png(Buffer.alloc(empty * one.length, one), PNG_PIXELS);
}

/** What a WebP has of each frame, without its pixels. @param others - the number of other chunks. @param size - how long each frame says that it is. */
export function animatedWebp(frames: number, others = 0, size = 24): Uint8Array<ArrayBuffer> {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(size);
  const frame = Buffer.concat([Buffer.from('ANMF'), length, Buffer.alloc(16), Buffer.from('VP8L\0\0\0\0')]);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('RIFF\0\0\0\0WEBPVP8X\n\0\0\0'),
      Buffer.alloc(10),
      Buffer.alloc(frames * frame.length, frame),
      Buffer.alloc(others * 8, Buffer.from('teSt\0\0\0\0')),
    ]),
  );
}

/** A grey JPEG of one pass. @param before - segments in front of its pixels. @param behind - those after them. */
export function segmentedJpeg(before: number, behind = 0): Uint8Array<ArrayBuffer> {
  const segments = (count: number): Buffer => Buffer.alloc(4 * count, Buffer.from([0xff, 0xe2, 0, 2]));
  const pixels = Buffer.concat([jpegPart(0xda, 1, 1, 0, 0, 63, 0), Buffer.alloc(16)]);
  return jpeg(segments(before), jpegFrame(0xc0, 64), TABLES, pixels, segments(behind));
}

/** A grey JPEG of 7000 by 7000 pixels. Each pass says of all its blocks that nothing changes. */
export function progressiveJpeg(passes: number): Uint8Array<ArrayBuffer> {
  const blocks = (7_000 / 8) ** 2;
  const first = Buffer.concat([jpegPart(0xda, 1, 1, 0, 0, 0, 0), Buffer.alloc(Math.ceil(blocks / 8))]);
  // A zero bit begins a run of blocks, and 14 bits tell its length beyond 2^14.
  const run = '0'.concat('10'.repeat(7));
  const bits = run.repeat(Math.ceil(blocks / (2 ** 14 + 0b10101010101010)));
  const bytes = bits.match(/.{1,8}/g)!.map((byte) => parseInt(byte.padEnd(8, '0'), 2));
  const pass = Buffer.concat([jpegPart(0xda, 1, 1, 0, 1, 63, 0), Buffer.from(bytes)]);
  return jpeg(jpegFrame(0xc2, 7_000), TABLES, first, Buffer.alloc(passes * pass.length, pass));
}

function jpeg(...parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([Buffer.from('ffd8', 'hex'), ...parts, Buffer.from('ffd9', 'hex')]));
}

function jpegPart(marker: number, ...bytes: readonly number[]): Buffer {
  const length = bytes.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...bytes]);
}

function jpegFrame(marker: number, side: number): Buffer {
  return jpegPart(marker, 8, side >> 8, side & 0xff, side >> 8, side & 0xff, 1, 1, 0x11, 0);
}

/** The quantization, and two codes of one bit: no difference, and a run of blocks that do not change. */
const TABLES = Buffer.concat([
  jpegPart(0xdb, 0, ...Buffer.alloc(64, 1)),
  jpegPart(0xc4, 0x00, 1, ...Buffer.alloc(15), 0),
  jpegPart(0xc4, 0x10, 1, ...Buffer.alloc(15), 0xe0),
]);

/** An AVIF of 16 by 16 pixels. All its chunks have the same place. @param inEach - the frames of each chunk. @param brands - how it begins. */
export function animatedAvif(
  chunks: number,
  inEach = 1,
  brands = 'avis\0\0\0\0avismsf1miafMA1B',
): Uint8Array<ArrayBuffer> {
  const size = inEach === 1 ? AVIF_PIXELS.length : 1;
  const start = box('ftyp', Buffer.from(brands));
  const matrix = numbers(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000);
  const codec = box(
    'av01',
    Buffer.concat([numbers(0, 1), Buffer.alloc(16), numbers(0x10_0010, 0x48_0000, 0x48_0000, 0, 0x1_0000)]),
    Buffer.concat([Buffer.alloc(30), numbers(0x18_ffff)]),
    Buffer.from('0000000c6176314381000c00', 'hex'),
  );
  const tables = box(
    'stbl',
    box('stsd', numbers(0, 1), codec),
    box('stts', numbers(0, 1, chunks * inEach, 100)),
    box('stsc', numbers(0, 1, 1, inEach, 1)),
    box('stsz', numbers(0, size, chunks * inEach)),
    box('stco', numbers(0, chunks), Buffer.alloc(4 * chunks, numbers(start.length + 8))),
  );
  const reference = box('dinf', box('dref', numbers(0, 1), box('url ', numbers(1))));
  const media = box(
    'mdia',
    box('mdhd', numbers(0, 0, 0, 1_000, 100, 0x55c4_0000)),
    box('hdlr', numbers(0, 0), Buffer.from('pict'), Buffer.alloc(14)),
    box('minf', box('vmhd', numbers(1, 0, 0)), reference, tables),
  );
  const track = box('tkhd', numbers(3, 0, 0, 1, 0, 100, 0, 0, 0, 0), matrix, numbers(16 << 16, 16 << 16));
  const movie = box(
    'mvhd',
    numbers(0, 0, 0, 1_000, 100, 0x1_0000, 0x100_0000, 0, 0),
    matrix,
    Buffer.alloc(24),
    numbers(2),
  );
  return new Uint8Array(
    Buffer.concat([
      start,
      box('mdat', AVIF_PIXELS, Buffer.alloc(inEach)),
      box('moov', movie, box('trak', track, media)),
    ]),
  );
}

function png(...chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const head = Buffer.from([0x89, ...Buffer.from('PNG\r\n\x1a\n')]);
  const size = chunk('IHDR', Buffer.concat([numbers(10, 10), Buffer.from([8, 0, 0, 0, 0])]));
  return new Uint8Array(Buffer.concat([head, size, ...chunks, chunk('IEND', Buffer.alloc(0))]));
}

/**
 * An AVIF of 16 by 16 pixels with other items, each of which has the same colour profile a hundred times.
 *
 * @param colour - the length of the profile.
 * @param unknown - boxes in front of what describes it.
 * @param located - items more that only have a place.
 */
export function describedAvif(items: number, colour: number, unknown = 0, located = 0): Uint8Array<ArrayBuffer> {
  const others = Array.from({ length: items }, (_, index) => index + 2);
  const item = (id: number): Buffer => box('infe', numbers(0x300_0000, id), Buffer.from('\0\0av01\0'));
  const properties = box(
    'ipco',
    box('ispe', numbers(0, 16, 16)),
    box('pixi', numbers(0), Buffer.from([3, 8, 8, 8])),
    box('av1C', Buffer.from('81000c00', 'hex')),
    box('colr', Buffer.from('prof'), Buffer.alloc(colour)),
  );
  const uses = (id: number, ...list: readonly number[]): Buffer =>
    Buffer.concat([numbers(id), Buffer.from([list.length + 3, 1, 2, 0x83, ...list])]);
  const many = Array.from({ length: 100 }, () => 4);
  const place = (id: number): Buffer => Buffer.concat([numbers(id, 0), Buffer.alloc(2)]);
  const start = Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0mif1avifmiaf')),
    Buffer.alloc(unknown * 8, numbers(8, 0x6672_6565)),
  ]);
  const description = (at: number): Buffer =>
    box(
      'meta',
      numbers(0),
      box('hdlr', numbers(0, 0), Buffer.from('pict'), Buffer.alloc(13)),
      box('pitm', numbers(0x100_0000, 1)),
      box(
        'iloc',
        numbers(0x200_0000),
        Buffer.from([0x44, 0]),
        numbers(1 + located, 1, 0),
        Buffer.from([0, 1]),
        numbers(at, AVIF_PIXELS.length),
        Buffer.concat(Array.from({ length: located }, (_, index) => place(items + 2 + index))),
      ),
      box('iinf', numbers(0x100_0000, items + 1), item(1), ...others.map(item)),
      box(
        'iprp',
        properties,
        box('ipma', numbers(0x100_0000, items + 1), uses(1), ...others.map((id) => uses(id, ...many))),
      ),
    );
  const at = start.length + description(0).length + 8;
  return new Uint8Array(Buffer.concat([start, description(at), box('mdat', AVIF_PIXELS)]));
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([numbers(8 + parts.reduce((sum, { length }) => sum + length, 0)), Buffer.from(type), ...parts]);
}

const AVIF_PIXELS = Buffer.from('12000a09180cffda2021a0d08032161ec7878559c0002c0000757d59bdccc392774144fb80', 'hex');

const PNG_PIXELS = chunk('IDAT', deflateSync(Buffer.alloc(110)));

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([numbers(data.length), named, numbers(crc32(named))]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
