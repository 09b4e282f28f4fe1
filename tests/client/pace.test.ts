import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { Pace } from '../../src/client/pace.ts';

it('lets no more bytes through in all than the pace allows, and changes none', async () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
  const pace = new Pace(400_000);
  const begun = performance.now();
  const all = await Promise.all(
    [pace.through(Readable.from([content])), pace.through(Readable.from([content]))].map(buffer),
  );
  // The first piece goes at once, and each later one when those before it have had their time. A machine that stands still only makes it slower.
  expect(performance.now() - begun).toBeGreaterThan(440);
  for (const one of all) expect(one.equals(content)).toBe(true);
});

it('sends large chunks in pieces, so that a slow transfer moves now and then', async () => {
  const sizes: number[] = [];
  const paced = new Pace(1e9).through(Readable.from([Buffer.alloc(50_000)]));
  await once(
    paced.on('data', (piece: Buffer) => sizes.push(piece.length)),
    'end',
  );
  expect(sizes).toEqual([16_384, 16_384, 16_384, 848]);
});

it('ends its source when its reader leaves, also while that has no bytes', async () => {
  const source = new Readable({ read: () => undefined });
  source.push('x');
  const paced = new Pace(1e9).through(source);
  await once(paced, 'readable');
  const closed = new Promise((resolve) => source.once('close', resolve));
  paced.destroy();
  await closed;
});
