import { beforeEach, describe, expect, it } from '@jest/globals';
import { otherKey } from '../../../src/web/work/conflict.ts';
import { partBytesFor, planParts } from '../../../src/transfer/parts.ts';
import { RememberedUploads } from '../../../src/web/work/remembered.ts';
import { SpeedMeter } from '../../../src/web/work/speed.ts';
import { placeOf } from './memory-service.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe('partBytesFor', () => {
  it.each([
    [17 * MIB, 8],
    [20 * GIB, 21],
    [600 * GIB, 64],
  ])('%d bytes travel in parts of %d MiB', (bytes, mib) => {
    expect(partBytesFor(bytes)).toBe(mib * MIB);
  });

  it('never needs more than 10,000 parts, up to the largest object of 5 TiB', () => {
    for (const bytes of [620 * GIB, 640 * GIB, 5 * 1024 * GIB])
      expect(Math.ceil(bytes / partBytesFor(bytes))).toBeLessThanOrEqual(10_000);
  });
});

describe('planParts', () => {
  it('covers every byte once', () => {
    expect(planParts(20, 8)).toEqual([
      { number: 1, start: 0, end: 8 },
      { number: 2, start: 8, end: 16 },
      { number: 3, start: 16, end: 20 },
    ]);
  });
});

describe('otherKey', () => {
  it.each([
    ['photo.jpg', 'photo (2).jpg'],
    ['a.b/photo', 'a.b/photo (2)'],
    ['a/.profile', 'a/.profile (2)'],
    ['a/x.tar.gz', 'a/x.tar (2).gz'],
  ])('`%s` gives `%s`', (key, other) => {
    expect(otherKey(key, 2)).toBe(other);
  });
});

describe('SpeedMeter', () => {
  it('tells the speed of the last seconds and forgets what is older', () => {
    const meter = new SpeedMeter();
    for (let second = 0; second < 4; second += 1) meter.add(second * 1_000, 500);
    expect(meter.bytesPerSecond(4_000)).toBe(500);
    expect(meter.bytesPerSecond(60_000)).toBe(0);
  });
});

describe('RememberedUploads', () => {
  const file = { name: 'a', size: 1, lastModified: 2 };
  const begun = { uploadId: 'u1', partBytes: 8 * MIB };
  const kept = new Map<string, string>();
  const store = () => ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  beforeEach(() => kept.clear());

  it('shows nobody the uploads of somebody else', async () => {
    await new RememberedUploads(store, () => 'alice').remember(file, placeOf('a'), begun);
    expect(new RememberedUploads(store, () => 'alice').list()).toHaveLength(1);
    expect(new RememberedUploads(store, () => 'bob').list()).toEqual([]);
    expect(await new RememberedUploads(store, () => 'bob').find(file, placeOf('a'))).toBeUndefined();
  });

  it.each([
    ['broken', () => ({ ...store(), getItem: () => '{"a":' })],
    ['full', () => ({ ...store(), setItem: fail })],
    ['missing', fail],
  ])('goes on within this page with a store that is %s', async (_what, broken) => {
    const uploads = new RememberedUploads(broken, () => 'alice');
    await uploads.remember(file, placeOf('a'), begun);
    expect(uploads.list()).toEqual([]);
    expect(await uploads.find(file, placeOf('a'))).toEqual({ ...begun, isCurrent: true });
    await uploads.forget(file, placeOf('a'));
    expect(await uploads.find(file, placeOf('a'))).toBeUndefined();
  });

  it('forgets what is older than a week', async () => {
    let now = 1_700_000_000_000;
    const uploads = new RememberedUploads(
      store,
      () => 'alice',
      () => now,
    );
    await uploads.remember(file, placeOf('a'), begun);
    now += 8 * 24 * 3_600_000;
    expect(uploads.list()).toEqual([]);
  });
});

function fail(): never {
  throw new Error('there is no store');
}
