import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SvcError } from '../../src/errors/svc-error.ts';
import { KeyLocks } from '../../src/storage/key-locks.ts';
import { NOTICED_MS } from '../../src/state/notices.ts';
import { Hub, type FromHub, type HubCalls } from '../../src/workers/hub.ts';
import { Link, type Port } from '../../src/workers/link.ts';
import { SharedMemory } from '../../src/workers/shared-memory.ts';
import { countsContract } from '../contract/counts.ts';
import { expiringEntriesContract } from '../contract/expiring-entries.ts';
import { recentTextsContract } from '../contract/recent-texts.ts';

const PROVIDER = { name: 'main', endpoint: 'http://storage', idleTimeoutMs: 60_000 };
const KEY = { bucket: 'files', key: 'a' };

type Worker = { readonly memory: SharedMemory; readonly die: () => void; readonly close: () => void };

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

function portOf(port: MessagePort): Port {
  open.push(port);
  return { send: (message) => port.postMessage(message), onMessage: (listener) => void port.on('message', listener) };
}

/** A worker of the hub. Everything that they tell each other is copied, as between processes. */
function join(hub: Hub): Worker {
  const { port1, port2 } = new MessageChannel();
  const { calls, leave } = hub.join({
    turnCame: (turn) => toWorker.tell('turnCame', turn),
    noticed: (...notice) => toWorker.ask('noticed', ...notice),
  });
  const toWorker = new Link<FromHub>(portOf(port1), calls);
  const memory: SharedMemory = new SharedMemory(() => toHub);
  const toHub: Link<HubCalls> = new Link<HubCalls>(portOf(port2), memory.calls);
  return { memory, die: leave, close: () => port2.close() };
}

expiringEntriesContract('entries of the hub', async ({ now }) => {
  const hub = new Hub(now);
  const [one, other] = [join(hub).memory.entries('tickets'), join(hub).memory.entries('tickets')];
  // Each call goes through the other worker than the one before.
  let turn = 0;
  const entries = new Proxy(one, {
    get: (_, name) => Reflect.get((turn += 1) % 2 === 0 ? one : other, name) as unknown,
  });
  return { entries, close: async () => undefined };
});
recentTextsContract('texts of the hub', async () => ({
  texts: join(new Hub(Date.now)).memory.recent,
  close: async () => undefined,
}));
countsContract('counts of the hub', (now) => {
  const hub = new Hub(now);
  return [join(hub).memory.counts, join(hub).memory.counts];
});

describe('the workers of a hub', () => {
  it('have apart what is of different kinds', async () => {
    const { memory } = join(new Hub(Date.now));
    await memory.entries('tickets').put('id', 'v', Date.now() + 60_000);
    expect(await memory.entries('codes').get('id')).toBeUndefined();
  });

  it('hold the lock of a key one at a time, and give it back when they die', async () => {
    const hub = new Hub(Date.now);
    const workers = [join(hub), join(hub)] as const;
    const [one, other] = workers.map(({ memory }) => new KeyLocks(memory.turns)) as [KeyLocks, KeyLocks];
    await one.acquire(PROVIDER, KEY);
    await expect(other.acquire({ ...PROVIDER, idleTimeoutMs: 50 }, KEY)).rejects.toMatchObject({
      code: 'storage_timeout',
    });
    const next = other.acquire(PROVIDER, KEY);
    workers[0].die();
    (await next)();
    (await other.acquire(PROVIDER, KEY))();
  });

  it('get no turn for what arrives after their end', async () => {
    const hub = new Hub(Date.now);
    const [dead, other] = [join(hub), join(hub)];
    dead.die();
    dead.memory.turns.queue('a');
    await dead.memory.recent.read('');
    const turn = other.memory.turns.queue('a').ready?.then(() => 'has the turn');
    expect(await Promise.race([turn, wait(500, 'waits')])).toBe('has the turn');
  });

  it('tell each other what ended, and not themselves', async () => {
    const hub = new Hub(Date.now);
    const [one, other, third] = [join(hub), join(hub), join(hub)];
    const heard: unknown[] = [];
    one.memory.notices.on('session', () => heard.push('own'));
    const told = [other, third].map(
      ({ memory }) =>
        new Promise<readonly string[]>((resolve) => memory.notices.on('session', (names) => resolve(names))),
    );
    await one.memory.notices.tell('session', ['digest', 'id']);
    expect(await Promise.all(told)).toEqual([
      ['digest', 'id'],
      ['digest', 'id'],
    ]);
    await one.memory.recent.read('');
    expect(heard).toEqual([]);
  });
});

describe('what a worker tells', () => {
  /** Whether the other workers have been told, by the time at which one that told them may go on. */
  async function toldBy(change: (other: Worker) => void): Promise<{ took: number; heard: boolean }> {
    const hub = new Hub(Date.now);
    const [one, other] = [join(hub), join(hub)];
    let heard = false;
    other.memory.notices.on('key', () => (heard = true));
    change(other);
    const since = performance.now();
    await one.memory.notices.tell('key', ['id']);
    return { took: performance.now() - since, heard };
  }

  it('has been noticed by all when it goes on', async () => {
    const { took, heard } = await toldBy(() => undefined);
    expect(heard).toBe(true);
    expect(took).toBeLessThan(NOTICED_MS);
  });

  it('is not waited for once the other worker has ended', async () => {
    const { took, heard } = await toldBy(({ die }) => die());
    expect(heard).toBe(false);
    expect(took).toBeLessThan(NOTICED_MS);
  });

  it.each([
    ['gives no answer', ({ close }: Worker) => close()],
    [
      'could not notice it',
      ({ memory }: Worker) =>
        memory.notices.on('key', () => {
          throw new Error('at fault');
        }),
    ],
  ])('is waited for until another worker that %s trusts its memory no more', async (_, change) => {
    const { took } = await toldBy(change);
    expect(took).toBeGreaterThan(NOTICED_MS - 5);
    expect(took).toBeLessThan(2 * NOTICED_MS);
  });
});

describe('a link', () => {
  it('passes on what a call throws: errors of the service whole, others with their code', async () => {
    const { port1, port2 } = new MessageChannel();
    const calls = {
      full: () => {
        throw new SvcError('rate_limited', { detail: 'too many', retryAfterSeconds: 60 });
      },
      busy: () => {
        throw Object.assign(new Error('address in use'), { code: 'EADDRINUSE' });
      },
      never: () => new Promise<string>(() => undefined),
    };
    new Link(portOf(port1), calls);
    const link = new Link<typeof calls>(portOf(port2), {});
    await expect(link.ask('full')).rejects.toMatchObject({
      code: 'rate_limited',
      detail: 'too many',
      retryAfterSeconds: 60,
    });
    await expect(link.ask('busy')).rejects.toMatchObject({ message: 'address in use', code: 'EADDRINUSE' });
    const waiting = link.ask('never');
    link.close(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(link.ask('never')).rejects.toThrow('gone');
  });
});
