import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, inflateSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mainBuckets, MANY } from '../../../../scripts/demo/samples/buckets.ts';
import { jpeg } from '../../../../scripts/demo/samples/jpeg.ts';
import { pdf } from '../../../../scripts/demo/samples/pdf.ts';
import { png } from '../../../../scripts/demo/samples/png.ts';
import { wav } from '../../../../scripts/demo/samples/wav.ts';
import { startSampleStorage } from '../../../../scripts/demo/storage.ts';
import type { S3Emulator } from '../../../support/s3-server.ts';

describe('png', () => {
  it('writes chunks whose checks hold and rows that unpack to the painted pixels', () => {
    const file = png(2, 3, (x, y) => [x, y, 200]);
    const chunks = new Map<string, Buffer>();
    for (let at = 8; at < file.length;) {
      const length = file.readUInt32BE(at);
      const body = file.subarray(at + 4, at + 8 + length);
      expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(body));
      chunks.set(body.toString('latin1', 0, 4), body.subarray(4));
      at += 12 + length;
    }
    expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND']);
    expect([...inflateSync(chunks.get('IDAT')!)]).toEqual([
      0, 0, 0, 200, 1, 0, 200, 0, 0, 1, 200, 1, 1, 200, 0, 0, 2, 200, 1, 2, 200,
    ]);
  });
});

describe('jpeg', () => {
  const file = jpeg(64, 3, (column, row) => (column % 2 === row % 2 ? [255, 255, 255] : [0, 0, 0]));

  it('says its size in pixels', () => {
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]));
    expect([file.readUInt16BE(frame + 5), file.readUInt16BE(frame + 7)]).toEqual([24, 512]);
  });

  it('codes the brightness of each tile, with its 0xff bytes stuffed', () => {
    const scan = file.subarray(file.indexOf(Buffer.from([0xff, 0xda])) + 14, -2).toString('latin1');
    expect(scan).toContain('\xff\0');
    const bits = Array.from(Buffer.from(scan.replaceAll('\xff\0', '\xff'), 'latin1'), (byte) =>
      byte.toString(2).padStart(8, '0'),
    ).join('');
    let at = 0;
    const take = (length: number) => parseInt(bits.slice(at, (at += length)) || '0', 2);
    const sums = [0, 0, 0];
    const brightness: number[] = [];
    for (let tile = 0; tile < 64 * 3; tile++) {
      for (let component = 0; component < 3; component++) {
        const length = take(4);
        const value = take(length);
        sums[component]! += value >> (length - 1) === 0 && length > 0 ? value - (1 << length) + 1 : value;
        expect(take(1)).toBe(0);
      }
      brightness.push(sums[0]! + 128);
    }
    expect(brightness).toEqual(
      Array.from({ length: 64 * 3 }, (_, tile) => ((tile % 64) % 2 === Math.floor(tile / 64) % 2 ? 255 : 0)),
    );
  });
});

describe('pdf', () => {
  it('points its cross references at its objects', () => {
    const file = pdf([{ heading: 'A (small) page', lines: ['one', 'two \\ three'] }]).toString('latin1');
    const table = Number(/startxref\n(\d+)/.exec(file)?.[1]);
    expect(file.slice(table, table + 4)).toBe('xref');
    const offsets = [...file.matchAll(/^(\d{10}) 00000 n /gm)].map(([, offset]) => Number(offset));
    expect(offsets).toHaveLength(5);
    offsets.forEach((offset, i) => expect(file.slice(offset)).toMatch(new RegExp(`^${i + 1} 0 obj\n`)));
    expect(file).toContain('(A \\(small\\) page) Tj');
  });
});

describe('wav', () => {
  it('holds as many samples as its header says', () => {
    const file = wav([{ hertz: 440, seconds: 0.5 }]);
    expect(file.readUInt32LE(40)).toBe(0.5 * 16_000 * 2);
    expect(file.length).toBe(44 + file.readUInt32LE(40));
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
  });
});

describe('startSampleStorage', () => {
  const buckets = mainBuckets();
  const documents = buckets['team-files']!;
  let directory: string;
  let storage: S3Emulator;
  let client: S3Client;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-samples-'));
    storage = await startSampleStorage(buckets, directory, 0);
    client = new S3Client({ endpoint: storage.url, region: 'us-east-1', forcePathStyle: true, credentials: storage });
  });

  afterAll(async () => {
    client.destroy();
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('keeps every sample under the name that it was given', async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'team-files' }));
    expect(new Set(Contents.map(({ Key }) => Key))).toEqual(new Set(documents.map(({ key }) => key)));
  });

  it('gives back what was put, with its type', async () => {
    for (const { key, type, body } of documents) {
      const found = await client.send(new GetObjectCommand({ Bucket: 'team-files', Key: key }));
      expect({ key, type: found.ContentType }).toEqual({ key, type });
      expect(Buffer.compare(Buffer.from(await found.Body!.transformToByteArray()), body)).toBe(0);
    }
  });

  it('has names that break careless software', async () => {
    const names = documents.map(({ key }) => key).join('\n');
    for (const part of [' ', '%', '+', '#', '?', 'ü', '日', '🎉', '\\', '"', "'", '&']) expect(names).toContain(part);
  });

  it('has a folder of many small objects', async () => {
    let token: string | undefined;
    let count = 0;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: 'sensors', Prefix: 'readings/', ContinuationToken: token }),
      );
      count += page.KeyCount ?? 0;
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(count).toBe(MANY);
  });
});
