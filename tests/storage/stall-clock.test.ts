import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { StallClock } from '../../src/storage/stall-clock.ts';

describe('StallClock', () => {
  const slowAfter = async (work: (clock: StallClock) => void) => {
    let isSlow = false;
    const clock = new StallClock(20);
    clock.whenSlow(() => void (isSlow = true));
    work(clock);
    await sleep(60);
    clock.stop();
    return isSlow;
  };

  it('tells when storage is waited for too long, and not while the client is', async () => {
    expect(await slowAfter((clock) => clock.waitForStorage())).toBe(true);
    const waitForClient = (clock: StallClock) => {
      clock.waitForStorage();
      clock.waitForClient();
    };
    expect(await slowAfter(waitForClient)).toBe(false);
  });

  it('stays stopped, whatever the body of an ended request still does', async () => {
    const isSlow = await slowAfter((clock) => {
      clock.stop();
      clock.waitForStorage();
    });
    expect(isSlow).toBe(false);
  });
});
