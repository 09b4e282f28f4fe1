import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyLocks } from '../../src/storage/key-locks.ts';

const PROVIDER = { name: 'main', endpoint: 'http://storage', idleTimeoutMs: 60_000 };
const KEY = { bucket: 'files', key: 'a' };

describe('the lock of a key', () => {
  it('are had by one at a time, in the order of asking, whoever leaves or waits too long', async () => {
    const writes = fc.array(
      fc.record({
        holdMs: fc.nat(4),
        leavesAfterMs: fc.option(fc.nat(6), { nil: undefined }),
        idleTimeoutMs: fc.constantFrom(3, 60_000),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(writes, async (asked) => {
        const locks = new KeyLocks();
        const had: number[] = [];
        let holders = 0;
        await Promise.all(
          asked.map(async ({ holdMs, leavesAfterMs, idleTimeoutMs }, i) => {
            const signal = leavesAfterMs === undefined ? undefined : AbortSignal.timeout(leavesAfterMs);
            await locks
              .run({ ...PROVIDER, idleTimeoutMs }, KEY, { signal }, async () => {
                had.push(i);
                holders += 1;
                expect(holders).toBe(1);
                await wait(holdMs);
                holders -= 1;
              })
              .catch((error: unknown) => expect(['TimeoutError', 'SvcError']).toContain((error as Error).name));
          }),
        );
        expect(had).toEqual(had.toSorted((a, b) => a - b));
        expect(had).toEqual(
          expect.arrayContaining(
            asked.flatMap(({ leavesAfterMs, idleTimeoutMs }, i) =>
              leavesAfterMs === undefined && idleTimeoutMs > 3 ? [i] : [],
            ),
          ),
        );
        (await locks.acquire({ ...PROVIDER, idleTimeoutMs: 0 }, KEY))();
      }),
      { numRuns: 60 },
    );
  });

  it('do not pass to the next while somebody in between gives up', async () => {
    const locks = new KeyLocks();
    const end = await locks.acquire(PROVIDER, KEY);
    await expect(locks.acquire({ ...PROVIDER, idleTimeoutMs: 1 }, KEY)).rejects.toMatchObject({
      code: 'storage_timeout',
    });
    await expect(locks.acquire({ ...PROVIDER, idleTimeoutMs: 1 }, KEY)).rejects.toMatchObject({
      code: 'storage_timeout',
    });
    const next = locks.acquire(PROVIDER, KEY);
    end();
    end();
    const endNext = await next;
    await expect(locks.acquire({ ...PROVIDER, idleTimeoutMs: 1 }, KEY)).rejects.toMatchObject({
      code: 'storage_timeout',
    });
    endNext();
  });

  it('of other keys are not waited for', async () => {
    const locks = new KeyLocks();
    const end = await locks.acquire(PROVIDER, KEY);
    (await locks.acquire({ ...PROVIDER, idleTimeoutMs: 1 }, { bucket: 'files', key: 'b' }))();
    (await locks.acquire({ ...PROVIDER, idleTimeoutMs: 1 }, { bucket: 'files","a', key: '' }))();
    end();
  });
});
