import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { PartMissing } from '../../../../src/web/parts/part.ts';
import { callParquetWorker, type StartParquetWorker } from '../../../../src/web/preview/parquet-call.ts';
import { readParquet } from '../../../../src/web/preview/parquet-table.ts';
import { repeatingParquetOf } from '../../../support/parquet-file.ts';
import { CITIES, CITIES_WITHOUT_END } from '../../../web/preview/cities.ts';

const rangesOf = (bytes: Buffer) => (from: number, to: number) =>
  Promise.resolve(new Uint8Array(bytes.subarray(from, to)));
const read = (bytes: Buffer) => readParquet(rangesOf(bytes), bytes.length);
const changed = (changes: readonly (readonly [at: number, value: number])[]): Buffer => {
  const bytes = Buffer.from(CITIES);
  for (const [at, value] of changes) bytes[at] = value;
  return bytes;
};

const exits: Promise<unknown>[] = [];

/** What is answered, and how many workers were begun for it, all of which have ended. */
async function workersEnded(
  act: () => Promise<unknown>,
): Promise<{ readonly answer: unknown; readonly workers: number }> {
  exits.length = 0;
  const answer = await act();
  await Promise.all(exits);
  return { answer, workers: exits.length };
}

/** The worker of the page as a process, whose memory has an end. A thread would take this process with it where a decoder asks for too much at once. */
const startProcess: StartParquetWorker = (receive, fail) => {
  const child = fork(
    new URL('as-web-worker.ts', import.meta.url),
    [new URL('../../../../src/web/preview/parquet-worker.ts', import.meta.url).href],
    {
      execArgv: ['--max-old-space-size=64'],
      serialization: 'advanced',
      stdio: 'ignore',
    },
  );
  exits.push(once(child, 'exit'));
  child
    .on('message', (message) => receive(message as Parameters<typeof receive>[0]))
    .on('exit', fail)
    .on('error', fail);
  return {
    send: (message) => void child.send(message as Parameters<typeof child.send>[0]),
    terminate: () => void child.kill('SIGKILL'),
  };
};

const readInWorker = (bytes: Buffer, limitMs: number, signal = new AbortController().signal) =>
  callParquetWorker(startProcess, { read: rangesOf(bytes), size: bytes.length, signal, limitMs });

const OF_CITIES = {
  columnCount: 3,
  columns: [
    { name: 'city', type: 'utf8' },
    { name: 'people', type: 'int64' },
    { name: 'founded', type: 'timestamp millis' },
  ],
  count: 3,
  rows: [
    ['Bern', '134794', '1191-01-01'],
    ['Oslo', '709037', '1040-01-01'],
    ['Lima', '10092000', '1535-01-18'],
  ],
};

describe('readParquet', () => {
  it('names the columns, and reads the first rows', async () => {
    expect(await read(CITIES)).toEqual(OF_CITIES);
  });

  it('reads values that begin like the one before, but not where they repeat more than is unpacked', async () => {
    expect((await read(repeatingParquetOf(300, 1_000)))?.rows?.[99]).toEqual([`${'a'.repeat(300)}…`]);
    const repeating = await read(repeatingParquetOf(100, 1_000_000));
    expect([repeating?.count, repeating?.rows]).toEqual([100, undefined]);
  });

  it('is told of what is no Parquet file', async () => {
    expect(await read(Buffer.from('name,size\n'))).toBeUndefined();
    expect(await read(Buffer.from('PAR1'))).toBeUndefined();
  });

  it('makes no table of a file without columns', async () => {
    expect(await read(changed([[159, 198]]))).toBeUndefined();
  });

  it.each([[[[20, 216]]], [[[69, 225]]], [[[69, 146]]]] as const)(
    'decodes no page that declares more than it holds: %j',
    async (changes) => {
      expect(await read(changed(changes))).toEqual({ ...OF_CITIES, rows: undefined });
    },
  );

  it('reads so many bytes at most, each of them once', async () => {
    const size = 2 ** 40;
    const ranges: [number, number][] = [];
    const table = await readParquet((from, to) => {
      ranges.push([from, to]);
      const bytes = new Uint8Array(to - from);
      bytes.set(CITIES.subarray(Math.max(0, CITIES.length - bytes.length)), Math.max(0, bytes.length - CITIES.length));
      return Promise.resolve(bytes);
    }, size);
    expect(table).toMatchObject({ count: 3, rows: undefined });
    expect(new Set(ranges.map(String)).size).toBe(ranges.length);
    expect(ranges.reduce((sum, [from, to]) => sum + to - from, 0)).toBeLessThanOrEqual(16_777_216);
  });
});

describe('callParquetWorker', () => {
  it('reads in a worker what readParquet does', async () => {
    expect(await readInWorker(CITIES, 60_000)).toEqual(OF_CITIES);
  });

  it('ends the worker when its decoder does not end', async () => {
    const ended = await workersEnded(() => readInWorker(CITIES_WITHOUT_END, 300));
    expect(ended).toEqual({ answer: undefined, workers: 1 });
  });

  it('ends the worker when nobody wants the answer any more', async () => {
    const left = new AbortController();
    const read = () => {
      left.abort(new Error('left'));
      return new Promise<never>(() => undefined);
    };
    const ended = await workersEnded(() =>
      callParquetWorker(startProcess, { read, size: 1_000, signal: left.signal }).catch(
        (thrown: unknown) => (thrown as Error).message,
      ),
    );
    expect(ended).toEqual({ answer: 'left', workers: 1 });
  });

  it('gives the failure of a read to the page', async () => {
    await expect(
      callParquetWorker(startProcess, {
        read: () => Promise.reject(new Error('denied')),
        size: 1_000,
        signal: new AbortController().signal,
      }),
    ).rejects.toThrow('denied');
  });

  it('says when the worker cannot be loaded', async () => {
    const failing: StartParquetWorker = (_receive, fail) => {
      setTimeout(fail);
      return { send: () => undefined, terminate: () => undefined };
    };
    await expect(
      callParquetWorker(failing, { read: rangesOf(CITIES), size: CITIES.length, signal: new AbortController().signal }),
    ).rejects.toBeInstanceOf(PartMissing);
  });

  it('ends, whatever the bytes are', async () => {
    const change = fc.tuple(fc.nat(CITIES.length - 9), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const table = await readInWorker(changed(changes), 500);
        expect(table === undefined || table.columns.length > 0).toBe(true);
      }),
      { numRuns: 100, plugins: [fc.interruptAfterTimeLimit(4_000)] },
    );
  });
});
