import { crc32, deflateSync } from 'node:zlib';

/** A GIF of ten by ten pixels whose frames are of one pixel, and are taken away again after they were shown. */
export function animatedGif(frames: number): Uint8Array<ArrayBuffer> {
  const head = [...Buffer.from('GIF89a'), 10, 0, 10, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
  const control = [0x21, 0xf9, 4, 3 << 2, 2, 0, 0, 0];
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

/** What a WebP has of each frame, without its pixels. */
export function animatedWebp(frames: number): Uint8Array<ArrayBuffer> {
  const frame = Buffer.concat([Buffer.from('ANMF'), Buffer.from([24, 0, 0, 0]), Buffer.alloc(24)]);
  return new Uint8Array(
    Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8X'), Buffer.alloc(14), Buffer.alloc(frames * frame.length, frame)]),
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
