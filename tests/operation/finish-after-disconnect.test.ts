import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { SvcError } from '../../src/errors/svc-error.ts';
import { finishAfterDisconnect } from '../../src/operation/finish-after-disconnect.ts';

/** What the work sees when the abort comes before it, and while it is done. */
async function seen(reason: unknown): Promise<readonly unknown[]> {
  const whatOf = (signal: AbortSignal): unknown => signal.aborted && signal.reason;
  const [before, meanwhile] = [new AbortController(), new AbortController()];
  before.abort(reason);
  return Promise.all([
    finishAfterDisconnect(before.signal, async ({ signal }) => whatOf(signal)),
    finishAfterDisconnect(meanwhile.signal, async ({ signal }) => {
      meanwhile.abort(reason);
      return whatOf(signal);
    }),
  ]);
}

describe('finishAfterDisconnect', () => {
  it('goes on for a client that leaves', async () => {
    expect(await seen(undefined)).toEqual([false, false]);
  });

  it('ends with the session or key', async () => {
    const ended = new SvcError('session_required', { detail: 'ended' });
    expect(await seen(ended)).toEqual([ended, ended]);
  });

  it('leaves nothing with a signal that lasts, as that of a socket, also when the work fails', async () => {
    const { signal } = new AbortController();
    await finishAfterDisconnect(signal, async () => expect(getEventListeners(signal, 'abort')).toHaveLength(1));
    await expect(finishAfterDisconnect(signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
