import { crc32, deflateSync } from 'node:zlib';

/** Red, green, blue, each 0 to 255. */
export type Colour = readonly [number, number, number];

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [GREYSCALE, TRUE_COLOUR] = [0, 2] as const;

/** Draws a PNG: `paint` is asked for the colour of each pixel. */
export function png(width: number, height: number, paint: (x: number, y: number) => Colour): Buffer {
  const rowLength = 1 + width * 3;
  const rows = Buffer.alloc(rowLength * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = y * rowLength + 1; x < width; x++, at += 3)
      [rows[at], rows[at + 1], rows[at + 2]] = paint(x, y);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, TRUE_COLOUR], 8);
  return framed(header, rows);
}

/** A PNG of one colour, with one bit for each pixel: very many of them take few bytes. */
export function blankPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, GREYSCALE], 8);
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  return new Uint8Array(framed(header, rows));
}

function framed(header: Buffer, rows: Buffer): Buffer {
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
