import { describe, expect, it } from '@jest/globals';
import { isTransient } from '../../src/transfer/failure.ts';
import { withRetries } from '../../src/transfer/retry.ts';

const problem = (code: string, members: object = {}) => Object.assign(new Error(code), { code, ...members });

describe('retrying', () => {
  /** Milliseconds between one try and the next. */
  async function gapsOf(error: Error, options: Parameters<typeof withRetries>[1]): Promise<number[]> {
    const times: number[] = [];
    const trying = withRetries(() => {
      times.push(performance.now());
      return Promise.reject(error);
    }, options);
    await expect(trying).rejects.toBe(error);
    return times.slice(1).map((time, i) => time - times[i]!);
  }

  it('waits twice as long from one time to the next, and a little longer by chance', async () => {
    const gaps = await gapsOf(problem('storage_unavailable'), { retries: 3, firstDelayMs: 40 });
    expect(gaps).toHaveLength(3);
    for (const [i, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(40 * 2 ** i - 2);
  });

  it('waits at least as long as the service asks for', async () => {
    const [gap] = await gapsOf(problem('rate_limited', { retryAfterSeconds: 0.3 }), { retries: 1, firstDelayMs: 1 });
    expect(gap).toBeGreaterThanOrEqual(298);
  });

  it('does not try again at once because it is asked to wait for longer than a timer can', async () => {
    let tries = 0;
    const trying = withRetries(
      () => {
        tries += 1;
        return Promise.reject(problem('rate_limited', { retryAfterSeconds: 3e6 }));
      },
      { firstDelayMs: 1, signal: AbortSignal.timeout(200) },
    );
    await expect(trying).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(tries).toBe(1);
  });

  it('does not try again what cannot pass', async () => {
    expect(await gapsOf(problem('access_denied'), {})).toEqual([]);
  });

  it.each([[{}], [{ retryAfterSeconds: 60 }]])('ends at once with the reason of its signal: %j', async (members) => {
    const stop = new AbortController();
    const reason = new Error('paused');
    const trying = withRetries(() => Promise.reject(problem('network', members)), {
      firstDelayMs: 60_000,
      signal: stop.signal,
      onRetry: () => setTimeout(() => stop.abort(reason), 20),
    });
    await expect(trying).rejects.toBe(reason);
  });
});

describe('passes', () => {
  it.each([
    ['storage_timeout', {}, true],
    ['unreachable', {}, true],
    ['unexpected_answer', { status: 502 }, true],
    ['unexpected_answer', { status: 429 }, true],
    ['unexpected_answer', { status: 404 }, false],
    ['not_supported', { status: 501 }, false],
    ['session_capacity', { status: 503 }, false],
  ])('%s %j: %s', (code, members, expected) => {
    expect(isTransient(problem(code, members))).toBe(expected);
  });
});
