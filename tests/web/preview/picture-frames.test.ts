import { expect, it } from '@jest/globals';
import { countFrames } from '../../../src/web/preview/picture-frames.ts';
import {
  animatedAvif,
  animatedGif,
  animatedPng,
  animatedWebp,
  progressiveJpeg,
  segmentedJpeg,
} from '../../support/animated-pictures.ts';

/** A picture that arrives in pieces, and whether more of it was asked for than was read. */
function arriving(bytes: Uint8Array<ArrayBuffer>, piece: number) {
  let at = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += piece)));
    },
    cancel: () => void (cancelled = true),
  });
  return { body, isCancelled: () => cancelled };
}

const count = (bytes: Uint8Array<ArrayBuffer>, piece: number, most = 1_000) =>
  countFrames(arriving(bytes, piece).body, most);

it.each([1, 2, 3, 4, 5, 7, 64, 1_000_000])('counts the frames in pieces of %d bytes', async (piece) => {
  expect(await count(animatedGif(30), piece)).toBe(30);
  // The first frame follows no other block.
  expect(await count(animatedGif(31, false), piece)).toBe(30);
  expect(await count(animatedPng(30), piece)).toBe(30);
  expect(await count(animatedPng(30, 500), piece)).toBe(30);
  expect(await count(animatedWebp(30, 10), piece)).toBe(41);
  // The browser does not skip what a frame has behind its pixels.
  expect(await count(animatedWebp(30, 10, 10_000), piece)).toBe(41);
  expect(await count(progressiveJpeg(20), piece)).toBe(20);
  expect(await count(progressiveJpeg(21), piece)).toBe(Infinity);
  expect(await count(animatedAvif(30), piece)).toBe(Infinity);
  expect(await count(animatedAvif(30, 1, 'msf1\0\0\0\0miafiso8avis'), piece)).toBe(Infinity);
});

it('finds the brand of an animated AVIF wherever it stands', async () => {
  const many = 'miaf'.repeat(20_000);
  expect(await count(animatedAvif(30, 1, `msf1\0\0\0\0${many}avis`), 1 << 16)).toBe(Infinity);
  expect(await count(animatedAvif(30, 1, `avif\0\0\0\0${many}`), 1 << 16)).toBe(0);
  expect(await count(animatedAvif(30, 1, `avif\0\0\0\0${many.repeat(14)}`), 1 << 16)).toBe(Infinity);
});

it('counts the segments that a JPEG has before its pixels', async () => {
  for (const piece of [1 << 16, 1 << 21]) {
    expect(await count(segmentedJpeg(4_000), piece)).toBe(0);
    expect(await count(segmentedJpeg(30_000), piece)).toBe(Infinity);
    expect(await count(segmentedJpeg(60_000, 300), piece)).toBe(Infinity);
    expect(await count(segmentedJpeg(100, 60_000), piece)).toBe(1);
  }
});

it('counts no further than it must, and reads no picture that is not animated', async () => {
  for (const piece of [1 << 16, 1 << 21]) expect(await count(animatedPng(30, 1_500_000), piece)).toBe(Infinity);
  const many = arriving(animatedGif(100_000), 1_000);
  expect(await countFrames(many.body, 50)).toBeGreaterThan(50);
  expect(many.isCancelled()).toBe(true);
  // Components that come one after another have passes of their own.
  expect(await count(progressiveJpeg(3, 0xc0), 100)).toBe(3);
  const jpeg = arriving(
    new Uint8Array(Buffer.concat([progressiveJpeg(1, 0xc0, 3), Buffer.alloc(100_000, Buffer.from([0xff, 0xda, 0]))])),
    100,
  );
  expect(await countFrames(jpeg.body, 50)).toBe(0);
  expect(jpeg.isCancelled()).toBe(true);
  const png = animatedPng(1);
  // A PNG whose first chunk after the header is that of its pixels.
  const still = new Uint8Array(
    Buffer.concat([png.subarray(0, 33), png.subarray(33 + 20 + 38), Buffer.alloc(5_000, 'fcTL')]),
  );
  expect(await count(still, 100)).toBe(0);
  expect(await count(new Uint8Array(), 1)).toBe(0);
  expect(await count(new Uint8Array(5), 1)).toBe(0);
});
