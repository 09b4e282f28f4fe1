import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endOfArchive } from '../../src/zip/records.ts';
import { zip, type ZipMember } from '../../src/zip/zip.ts';
import { unzip } from '../support/unzip.ts';

const mtime = new Date(2021, 4, 6, 7, 8, 10);
const bytesOf = async (members: Iterable<ZipMember>, before?: number) => {
  const chunks: Buffer[] = [];
  for await (const chunk of zip(members, before)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

describe('zip', () => {
  it('holds what it was given, in that order, whether a member is a buffer or a stream', async () => {
    const content = fc.tuple(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: 'binary', maxLength: 3000 }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 8 }), async (given) => {
        const members = given.map(([name, text, isStreamed]) => ({
          name,
          mtime,
          body: isStreamed ? Readable.from([Buffer.from(text), Buffer.from(text)]) : Buffer.from(text + text),
        }));
        expect(unzip(await bytesOf(members))).toEqual(
          given.map(([name, text]) => ({
            name: Buffer.from(name).toString(),
            content: Buffer.from(text + text).toString(),
          })),
        );
      }),
    );
  });

  it('says before a buffer, and behind a stream, what its checksum and its sizes are', async () => {
    const text = Buffer.from('abc'.repeat(1000));
    const whole = await bytesOf([{ name: 'a', mtime, body: text }]);
    const [flags, method, crc, packed, size] = [
      whole.readUInt16LE(6),
      whole.readUInt16LE(8),
      whole.readUInt32LE(14),
      whole.readUInt32LE(18),
      whole.readUInt32LE(22),
    ];
    expect({ flags, method, crc, size }).toEqual({ flags: 0x800, method: 8, crc: crc32(text), size: 3000 });
    expect(whole.readUInt32LE(40 + packed)).toBe(0x02014b50);

    const streamed = await bytesOf([{ name: 'a', mtime, body: Readable.from([text]) }]);
    const descriptor = streamed.indexOf(Buffer.from('PK\x07\x08', 'latin1'));
    expect([streamed.readUInt16LE(6), streamed.readUInt32LE(14)]).toEqual([0x808, 0]);
    expect([4, 8, 12].map((at) => streamed.readUInt32LE(descriptor + at))).toEqual([
      crc32(text),
      descriptor - 40,
      3000,
    ]);
  });

  it('stores what deflating makes longer', async () => {
    const body = randomBytes(500);
    const archive = await bytesOf([{ name: 'a', mtime, body }]);
    expect([archive.readUInt16LE(8), archive.subarray(40, 540)]).toEqual([0, body]);
  });

  it('has times before and behind the bytes, modes of files and folders, and takes a time that no ZIP can say for the first or the last that it can', async () => {
    const times = [mtime, new Date(0), new Date(Number.NaN), new Date(2300, 0)];
    const archive = await bytesOf([
      ...times.map((time, i) => ({ name: `${i}`, mtime: time, body: Buffer.alloc(0) })),
      { name: 'folder/', mtime, body: Buffer.alloc(0) },
    ]);
    const records: Buffer[] = [];
    for (let at = archive.indexOf('PK\x01\x02'); at !== -1; at = archive.indexOf('PK\x01\x02', at + 1))
      records.push(archive.subarray(at));
    expect(records.map((record) => record.readUInt32LE(12))).toEqual([
      (41 << 25) | (5 << 21) | (6 << 16) | (7 << 11) | (8 << 5) | 5,
      (1 << 21) | (1 << 16),
      (1 << 21) | (1 << 16),
      expect.any(Number),
      expect.any(Number),
    ]);
    expect(records.map((record) => record.readUInt16LE(40).toString(8))).toEqual([
      '100664',
      '100664',
      '100664',
      '100664',
      '40775',
    ]);
    const local = archive.subarray(30 + 1);
    expect(local.subarray(0, 9)).toEqual(records[0]!.subarray(47, 56));
    expect([local.readUInt16LE(0), local.readUInt16LE(2), local[4], archive.readUInt16LE(28)]).toEqual([
      0x5455, 5, 1, 9,
    ]);
    expect(records.slice(0, 4).map((record) => record.readUInt32LE(52))).toEqual([
      mtime.getTime() / 1000,
      0,
      0,
      0x7fffffff,
    ]);
  });

  it('has records of zip64 behind four gigabytes, and for more entries than 16 bits count', async () => {
    const before = 5 * 2 ** 30;
    const archive = await bytesOf([{ name: 'abc', mtime, body: Buffer.from('text') }], before);
    const record = archive.indexOf('PK\x01\x02');
    const extra = record + 46 + 3 + 9;
    expect([20, 24, 42].map((at) => archive.readUInt32LE(record + at))).toEqual([0xffffffff, 0xffffffff, 0xffffffff]);
    expect([0, 2].map((at) => archive.readUInt16LE(extra + at))).toEqual([1, 24]);
    expect([4, 12, 20].map((at) => archive.readBigUInt64LE(extra + at))).toEqual([4n, 4n, BigInt(before)]);
    const end = archive.indexOf('PK\x06\x06');
    expect([24, 32, 40, 48].map((at) => Number(archive.readBigUInt64LE(end + at)))).toEqual([
      1,
      1,
      end - record,
      before + record,
    ]);
    const locator = archive.indexOf('PK\x06\x07');
    expect([locator - end, Number(archive.readBigUInt64LE(locator + 8)), archive.length - locator]).toEqual([
      56,
      before + end,
      20 + 22,
    ]);

    const many = endOfArchive(70_000, 100, 200);
    expect([many.readUInt16LE(many.length - 12), Number(many.readBigUInt64LE(32))]).toEqual([0xffff, 70_000]);
  });

  it('asks for a member when the bytes of those before it were taken', async () => {
    let asked = 0;
    const chunks = zip(
      (function* () {
        for (;;) yield { name: `${(asked += 1)}`, mtime, body: Buffer.from('x') };
      })(),
    );
    for (const expected of [1, 2, 3]) {
      await chunks.next();
      expect(asked).toBe(expected);
    }
  });

  it('ends with the error of a stream, though it broke off before its turn', async () => {
    const [late, early] = [new PassThrough(), new PassThrough().on('error', () => undefined)];
    late.write('begun');
    setImmediate(() => late.destroy(new Error('broken')));
    await expect(bytesOf([{ name: 'a', mtime, body: late }])).rejects.toThrow('broken');
    early.destroy(new Error('broken early'));
    await new Promise(setImmediate);
    await expect(bytesOf([{ name: 'a', mtime, body: early }])).rejects.toThrow('broken early');
  });
});
