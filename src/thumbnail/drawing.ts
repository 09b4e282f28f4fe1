/**
 * The program of a drawing process. It decodes pictures of untrusted people, so it has no secrets and no environment, and does nothing else.
 *
 * A message gives the number of bytes of a picture, and standard input gives the bytes. The answer is a message too: see {@link Answer}.
 */
import { setPriority } from 'node:os';

/** The message that announces a picture: its number of bytes. */
export type Order = { readonly bytes: number };
/** The answer of a drawing process. `unavailable`: the library could not be loaded. */
export type Answer = { readonly picture: Uint8Array } | { readonly broken: string } | { readonly unavailable: string };

/** Pixels of the longer side of a thumbnail; smaller pictures are not enlarged. */
const BOX = 400;
/** A picture with more pixels takes too much memory. */
const MAX_PIXELS = 50_000_000;
/** The limit for decoded bytes. Some formats are decoded whole, and a pixel may have more than eight bytes. */
const MAX_PIXEL_BYTES = MAX_PIXELS * 4;
/** Bytes per sample of each depth; other depths have at most eight. */
const SAMPLE_BYTES: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
};
/** The only loaders that the library may use, whatever the content of the picture. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((name) => `VipsForeignLoad${name}Buffer`);
/** A lower priority than the service, which shares the processor. */
const PRIORITY = 10;

let library: ReturnType<typeof loaded> | undefined;

async function loaded() {
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return sharp;
}

async function draw(image: Buffer): Promise<Answer> {
  let sharp;
  try {
    sharp = await (library ??= loaded());
  } catch (error) {
    return { unavailable: String(error) };
  }
  try {
    const source = sharp(image, {
      limitInputPixels: MAX_PIXELS,
      failOn: 'truncated',
      sequentialRead: true,
      animated: false,
    });
    const { width, height, channels, depth } = await source.metadata();
    if (width * height * channels * (SAMPLE_BYTES[depth] ?? 8) > MAX_PIXEL_BYTES)
      return { broken: 'its pixels take too much memory' };
    const picture = source
      .autoOrient()
      .resize(BOX, BOX, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 78, effort: 3 });
    return { picture: await picture.toBuffer() };
  } catch (error) {
    return { broken: String(error) };
  }
}

const chunks: Buffer[] = [];
let missing = 0;

function begin(): void {
  if (missing !== 0) return;
  void draw(Buffer.concat(chunks.splice(0))).then((answer) => process.send?.(answer));
}

try {
  setPriority(PRIORITY);
} catch {
  // Some sandboxes forbid changing the priority; drawing works without it.
}
// The message may arrive before or after the bytes.
process.on('message', ({ bytes }: Order) => {
  missing += bytes;
  begin();
});
process.stdin.on('data', (chunk: Buffer) => {
  chunks.push(chunk);
  missing -= chunk.length;
  begin();
});
process.on('disconnect', () => process.exit(0));
