import { expect, it } from '@jest/globals';
import { mayTakeLong } from '../../../src/web/preview/slow-picture.ts';
import {
  animatedAvif,
  animatedGif,
  animatedPng,
  animatedWebp,
  chunkedPng,
  describedAvif,
  progressiveJpeg,
  segmentedJpeg,
} from '../../support/animated-pictures.ts';

const manyChunks = (count: number) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.alloc(8 * count, 'VP8L\0\0\0\0')]);

it.each([
  ['a GIF of many frames', animatedGif(5_000), animatedGif(5_001)],
  ['a PNG of many frames', animatedPng(5_000), animatedPng(5_001)],
  ['a PNG of many chunks', chunkedPng(99_000), chunkedPng(100_001)],
  // Each frame has a chunk for its pixels.
  ['a WebP of many frames', animatedWebp(4_999), animatedWebp(5_000)],
  ['a WebP of many other chunks', animatedWebp(2, 4_997), animatedWebp(2, 4_998)],
  ['a WebP whose frames contain others', animatedWebp(100, 0, 1_000_000), animatedWebp(10_000, 0, 1_000_000)],
  ['a JPEG of many passes', progressiveJpeg(19), progressiveJpeg(20)],
  ['a JPEG of many segments', segmentedJpeg(5_000), segmentedJpeg(5_001)],
  ['a JPEG of many segments behind its pixels', segmentedJpeg(0, 5_000), segmentedJpeg(0, 5_001)],
  ['an animated AVIF', Buffer.from('\0\0\0\x18ftypavif\0\0\0\0miafmif1'), animatedAvif(1)],
  [
    'an animated AVIF of another brand',
    Buffer.from('\0\0\0\x18ftypavif\0\0\0\0miafmif1avis'),
    animatedAvif(1, 1, 'msf1\0\0\0\0miafiso8avis'),
  ],
  ['an AVIF whose items have the same property many times', describedAvif(10, 1_000), describedAvif(1_000, 2_000)],
  ['an AVIF whose items have a large property many times', describedAvif(1, 500_000), describedAvif(1, 1_500_000)],
  ['an AVIF with a long description', describedAvif(0, 1_000_000), describedAvif(0, 5_000_000)],
  ['an AVIF of many boxes', describedAvif(1, 0, 900), describedAvif(1, 0, 1_100)],
  ['an AVIF of many places', describedAvif(1, 0, 0, 10_000), describedAvif(1, 0, 0, 30_000)],
  [
    'an AVIF of many brands',
    Buffer.from(`\0\0\0\0ftyp${'avif'.repeat(1_000)}`),
    Buffer.from(`\0\0\0\0ftyp${'avif'.repeat(30_000)}`),
  ],
  ['a WebP of many chunks with pixels', manyChunks(99_000), manyChunks(100_001)],
])('%s may take long to draw, unlike one of fewer', async (_, fewer, many) => {
  expect(await mayTakeLong(new Uint8Array(fewer))).toBe(false);
  expect(await mayTakeLong(new Uint8Array(many))).toBe(true);
});

it.each([
  ['a JPEG', 'ffd8'],
  ['a GIF', '474946383961'],
])('others go on while %s of 50 MB is looked through', async (_, head) => {
  const bytes = Buffer.alloc(50_000_000, 0xff);
  bytes.write(head, 'hex');
  let turns = 0;
  const others = setInterval(() => (turns += 1));
  expect(await mayTakeLong(new Uint8Array(bytes))).toBe(false);
  clearInterval(others);
  expect(turns).toBeGreaterThan(3);
});

it.each([
  ['nothing', ''],
  ['a JPEG', '\u00ff\u00d8\u00ff'],
  ['a GIF', 'GIF89a'],
  ['a PNG', '\u0089PNG\r\n\x1a\n\0\0'],
  ['a WebP', 'RIFF\0\0\0\0WEBPVP8X\n\0'],
  ['an AVIF', '\0\0\0\0ftyp'],
  ['text', 'text'],
])('what begins as %s and ends takes no long time', async (_, text) => {
  expect(await mayTakeLong(new Uint8Array(Buffer.from(text, 'latin1')))).toBe(false);
});
