import type { Colour } from './png.ts';

/** Side of a tile in pixels: JPEG codes a picture in blocks of 8 by 8. */
export const TILE = 8;
const START = Buffer.from([0xff, 0xd8]);
const END = Buffer.from([0xff, 0xd9]);

/**
 * Makes a baseline JPEG of flat tiles: `paint` is asked for the colour of each tile.
 *
 * Only the mean of each block (its DC coefficient) is coded, which keeps an encoder this small and the file valid for every reader.
 *
 * @see ITU-T T.81
 */
export function jpeg(columns: number, rows: number, paint: (column: number, row: number) => Colour): Buffer {
  return Buffer.concat([
    START,
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, TILE)])),
    segment(0xc0, frame(columns * TILE, rows * TILE)),
    segment(0xc4, Buffer.from([0x00, 0, 0, 0, 12, ...Array<number>(12).fill(0), ...Array(12).keys()])),
    segment(0xc4, Buffer.from([0x10, 1, ...Array<number>(15).fill(0), 0])),
    segment(0xda, Buffer.from([3, 1, 0, 2, 0, 3, 0, 0, 63, 0])),
    scan(columns, rows, paint),
    END,
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const length = data.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), data]);
}

function frame(width: number, height: number): Buffer {
  const components = [1, 2, 3].flatMap((id) => [id, 0x11, 0]);
  return Buffer.from([8, height >> 8, height & 0xff, width >> 8, width & 0xff, 3, ...components]);
}

function scan(columns: number, rows: number, paint: (column: number, row: number) => Colour): Buffer {
  const bits = new BitWriter();
  const previous = [0, 0, 0];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      luminanceAndChrominance(paint(column, row)).forEach((value, component) => {
        // The mean of a block, less 128, times 8 (the transform's gain), divided by the quantiser, which is 8 as well.
        const mean = Math.round(value - 128);
        writeDifference(bits, mean - previous[component]!);
        previous[component] = mean;
      });
    }
  }
  return bits.finish();
}

/** The DC code is four bits that say how many bits follow, then the difference itself; one 0 bit ends the block. */
function writeDifference(bits: BitWriter, difference: number): void {
  const length = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  bits.write(length, 4);
  bits.write(difference < 0 ? difference + (1 << length) - 1 : difference, length);
  bits.write(0, 1);
}

function luminanceAndChrominance([r, g, b]: Colour): readonly number[] {
  const clamp = (value: number) => Math.min(255, Math.max(0, value));
  return [
    0.299 * r + 0.587 * g + 0.114 * b,
    clamp(128 - 0.1687 * r - 0.3313 * g + 0.5 * b),
    clamp(128 + 0.5 * r - 0.4187 * g - 0.0813 * b),
  ];
}

class BitWriter {
  readonly #bytes: number[] = [];
  #pending = 0;
  #count = 0;

  write(value: number, length: number): void {
    for (let bit = length - 1; bit >= 0; bit--) this.#push((value >> bit) & 1);
  }

  finish(): Buffer {
    while (this.#count > 0) this.#push(1);
    return Buffer.from(this.#bytes);
  }

  #push(bit: number): void {
    this.#pending = (this.#pending << 1) | bit;
    if (++this.#count < 8) return;
    this.#bytes.push(this.#pending);
    if (this.#pending === 0xff) this.#bytes.push(0); // 0xff starts a marker, so it is stuffed
    this.#pending = 0;
    this.#count = 0;
  }
}
