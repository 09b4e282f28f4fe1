import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readParquet } from '../../../src/web/preview/parquet-table.ts';
import { CITIES } from './cities.ts';

const read = (bytes: Buffer) => readParquet((from, to) => Promise.resolve(new Uint8Array(bytes.subarray(from, to))), bytes.length);

describe('readParquet', () => {
  it('names the columns, and reads the first rows', async () => {
    expect(await read(CITIES)).toEqual({
      columns: [{ name: 'city', type: 'utf8' }, { name: 'people', type: 'int64' }, { name: 'founded', type: 'timestamp millis' }],
      count: 3,
      rows: [['Bern', '134794', '1191-01-01'], ['Oslo', '709037', '1040-01-01'], ['Lima', '10092000', '1535-01-18']],
    });
  });

  it('is told of what is no Parquet file', async () => {
    expect(await read(Buffer.from('name,size\n'))).toBeUndefined();
  });

  it('ends, whatever the bytes are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(CITIES.length - 9), fc.nat(255)), { minLength: 1, maxLength: 6 }), async (changes) => {
        const changed = Buffer.from(CITIES);
        for (const [at, value] of changes) changed[at] = value;
        await read(changed).catch(() => undefined);
      }),
      { numRuns: 50 },
    );
  }, 30_000);
});
