import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getObject } from '../../../src/storage/object-read.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { startStubStorage, type StubStorage } from '../../support/stub-storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

const MIB = 2 ** 20;
/** Two parts on their way, one that is read, and what the collector has yet to look at. */
const MAX_GROWTH_BYTES = 40 * MIB;
let stub: StubStorage;
beforeAll(async () => {
  stub = await startStubStorage();
});
afterAll(() => stub.close());

describe('a large body', () => {
  // `npm run bench -- faults large-bodies` passes ten times as much.
  it.each(['put of known length', 'put of unknown length', 'put of one part', 'get'])(
    'is not held as a whole: %s of 100 MiB',
    async (what) => {
      const worker = new URL('../../storage/volume-worker.ts', import.meta.url).pathname;
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--expose-gc',
        worker,
        stub.url,
        what,
        String(100 * MIB),
      ]);
      const { grownBytes } = JSON.parse(stdout) as { grownBytes: number };
      expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
    },
  );
});

describe('a download that nobody reads', () => {
  it('is not read from storage either', async () => {
    const storage = new Storage([
      {
        name: 'stub',
        type: 's3',
        endpoint: stub.url,
        region: 'us-east-1',
        pathStyle: true,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        connectTimeoutMs: 1000,
        idleTimeoutMs: 10_000,
      },
    ]);
    const before = stub.sent;
    const { body } = await getObject(
      withoutPolicy({ provider: storage.providers.provider('stub'), bucket: 'bucket', key: String(1024 * MIB) }),
    );
    await sleep(300);
    // What the operating system holds for a loopback connection, and no more.
    expect(stub.sent - before).toBeLessThan(32 * MIB);
    body!.destroy();
    storage.close();
  });
});
