import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A plain picture in the given format, with where and by what it was taken. */
export function photo(
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff',
  {
    width = 640,
    height = 480,
    orientation = 1,
  }: { readonly width?: number; readonly height?: number; readonly orientation?: number } = {},
): Promise<Buffer> {
  const picture = sharp({ create: { width, height, channels: 3, background: '#38a169' } });
  return picture
    .withExif({ IFD0: { Copyright: 'taken at home' } })
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer();
}

/** A PNG of few bytes that says, and has, many pixels: lines of zeros. A pixel has one bit, or, when it is `deep`, eight bytes. */
export function bomb(width: number, height: number, { deep = false }: { readonly deep?: boolean } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(deep ? [16, 6, 0, 0, 0] : [1, 0, 0, 0, 0], 8);
  const lines = deflateSync(Buffer.alloc(((deep ? width * 8 : Math.ceil(width / 8)) + 1) * height), { level: 9 });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', lines),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(8 + named.length);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), 4 + named.length);
  return framed;
}

/** An animation of frames with one pixel each. */
export function animation(frames: number): Buffer {
  const screen = Buffer.from([...Buffer.from('GIF89a'), 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const frame = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([screen, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}
