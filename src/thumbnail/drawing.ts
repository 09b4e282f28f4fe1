/**
 * The program of a drawing process: it decodes pictures of strangers, so it has no secret, no environment, and no work but this.
 *
 * A message names the bytes of a picture, which come on the standard input. The answer is a message too: see {@link Answer}.
 */
import { setPriority } from 'node:os';

/** What a drawing process is asked for. */
export type Order = { readonly bytes: number };
/** What a drawing process answers. `unavailable`: the library could not be loaded. */
export type Answer = { readonly picture: Uint8Array } | { readonly broken: string } | { readonly unavailable: string };

/** The longer side of a thumbnail has so many pixels, if the picture has. */
const BOX = 400;
/** A picture with more pixels takes too much memory. */
const MAX_PIXELS = 50_000_000;
/** Some pictures are decoded as a whole, and a pixel may have eight bytes and more: together they may take what so many of four bytes take. */
const MAX_PIXEL_BYTES = MAX_PIXELS * 4;
/** Bytes of a sample; those that are not named have eight at most. */
const SAMPLE_BYTES: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2, uint: 4, int: 4, float: 4 };
/** All other loaders of the library are out of reach, whatever the picture pretends to be. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((name) => `VipsForeignLoad${name}Buffer`);
/** Behind the service itself, which shares the processor. */
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
    const source = sharp(image, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', sequentialRead: true, animated: false });
    const { width, height, channels, depth } = await source.metadata();
    if (width * height * channels * (SAMPLE_BYTES[depth] ?? 8) > MAX_PIXEL_BYTES) return { broken: 'its pixels take too much memory' };
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
  // Some sandboxes forbid it; a picture is drawn all the same.
}
// The order may come before its bytes, and after them.
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
