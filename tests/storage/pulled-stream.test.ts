import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pulledStream } from '../../src/storage/pulled-stream.ts';

describe('pulledStream', () => {
  it('closes at once when it is destroyed while a chunk is awaited, and frees its source', async () => {
    let freed = 0;
    const never = (async function* () {
      yield Buffer.from('first');
      await new Promise(() => undefined);
    })();
    const stream = pulledStream(never, () => {
      freed++;
    });
    stream.resume();
    await sleep(5);
    stream.destroy();
    await once(stream, 'close');
    expect(freed).toBe(1);
  });

  it('takes no more chunks than its buffer holds while nobody reads', async () => {
    let taken = 0;
    const endless = (async function* () {
      for (;;) {
        taken++;
        yield Buffer.alloc(64 * 1024);
      }
    })();
    const stream = pulledStream(endless);
    stream.read(0);
    await sleep(20);
    expect(taken).toBeLessThanOrEqual(2);
    stream.destroy();
  });
});
