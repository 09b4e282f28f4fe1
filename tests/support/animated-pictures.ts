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

/** The same as a PNG. @param before - the bytes of a chunk in front of what tells that it is animated. */
export function animatedPng(frames: number, before = 0): Uint8Array<ArrayBuffer> {
  const pixel = deflateSync(Buffer.alloc(2));
  const chunks = Array.from({ length: frames }, (_, index) => {
    const sequence = index === 0 ? 0 : index * 2 - 1;
    const side = index === 0 ? 10 : 1;
    const control = Buffer.concat([numbers(sequence, side, side, 0, 0), Buffer.from([0, 1, 0, 50, 2, 1])]);
    const data =
      index === 0
        ? chunk('IDAT', deflateSync(Buffer.alloc(110)))
        : chunk('fdAT', Buffer.concat([numbers(sequence + 1), pixel]));
    return Buffer.concat([chunk('fcTL', control), data]);
  });
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, ...Buffer.from('PNG\r\n\x1a\n')]),
      chunk('IHDR', Buffer.concat([numbers(10, 10), Buffer.from([8, 0, 0, 0, 0])])),
      ...(before > 0 ? [chunk('teSt', Buffer.alloc(before, 'IDAT'))] : []),
      chunk('acTL', numbers(frames, 0)),
      ...chunks,
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
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

/** A JPEG with segments in front of its only pass, without the pixels. @param bytes - of each segment. */
export function segmentedJpeg(segments: number, bytes = 4): Uint8Array<ArrayBuffer> {
  const jpeg = progressiveJpeg(1, 0xc0, 3);
  const segment = Buffer.alloc(bytes, Buffer.from([0xff, 0xe2, (bytes - 2) >> 8, (bytes - 2) & 0xff]));
  segment.fill(0, 4);
  return new Uint8Array(
    Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(segments * bytes, segment), jpeg.subarray(2)]),
  );
}

/** What a JPEG of 7000 by 7000 pixels has of each pass, without the pixels. @param frame - the marker of its frame. @param components - in each pass. */
export function progressiveJpeg(passes: number, frame = 0xc2, components = 1): Uint8Array<ArrayBuffer> {
  const pass = Buffer.from([0xff, 0xda, 0, 6 + 2 * components, components, ...Buffer.alloc(2 * components), 0, 0, 0]);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('ffd8ffe000040000ff', 'hex'),
      Buffer.from([0xff, frame, 0, 17, 8, 0x1b, 0x58, 0x1b, 0x58, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]),
      Buffer.alloc(passes * pass.length, pass),
      Buffer.from([0xff, 0xd9]),
    ]),
  );
}

/** An AVIF of 16 by 16 pixels. All its chunks have the same place. @param inEach - the frames of each chunk. @param brands - how it begins. */
export function animatedAvif(
  chunks: number,
  inEach = 1,
  brands = 'avis\0\0\0\0avismsf1miafMA1B',
): Uint8Array<ArrayBuffer> {
  const box = (type: string, ...parts: readonly Buffer[]): Buffer =>
    Buffer.concat([numbers(8 + parts.reduce((sum, { length }) => sum + length, 0)), Buffer.from(type), ...parts]);
  const pixels = Buffer.from('12000a09180cffda2021a0d08032161ec7878559c0002c0000757d59bdccc392774144fb80', 'hex');
  const size = inEach === 1 ? pixels.length : 1;
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
    Buffer.concat([start, box('mdat', pixels, Buffer.alloc(inEach)), box('moov', movie, box('trak', track, media))]),
  );
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([numbers(data.length), named, numbers(crc32(named))]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
