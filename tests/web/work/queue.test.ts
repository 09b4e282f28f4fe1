import { beforeEach, describe, expect, it } from '@jest/globals';
import { batchesOf } from '../../../src/web/tray/batches.ts';
import { ConflictDesk, type ConflictAnswer } from '../../../src/web/work/conflict.ts';
import { UploadQueue } from '../../../src/web/work/queue.ts';
import { RememberedUploads } from '../../../src/web/work/remembered.ts';
import type { UploadFile } from '../../../src/web/work/send.ts';
import type { QueueView } from '../../../src/web/work/view.ts';
import { MemoryService, placeOf, problem } from './memory-service.ts';

const MIB = 1024 * 1024;
const kept = new Map<string, string>();
const store = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
};

let service: MemoryService;
let remembered: RememberedUploads;
let conflicts: ConflictDesk;

function makeQueue(options: { onSessionLost?: () => void } = {}): UploadQueue {
  return new UploadQueue({ transport: service, resumeStore: remembered, conflicts, firstDelayMs: 0, ...options });
}

function file(name: string, bytes: number, fill = 'x'): UploadFile {
  return Object.assign(new Blob([fill.repeat(bytes)], { type: 'text/plain' }), {
    name,
    lastModified: 1_700_000_000_000,
  });
}

const upload = (name: string, bytes: number, fill?: string) => ({
  file: file(name, bytes, fill),
  target: placeOf(name),
});

/** Resolves once the queue's view satisfies the condition. */
function until(queue: UploadQueue, condition: (view: QueueView) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = queue.view.subscribe((view) => {
      if (!condition(view)) return;
      unsubscribe();
      resolve();
    });
  });
}

const isOver = (view: QueueView) => view.open === 0;

/** Answers each question as soon as it is asked. */
function answering(answers: readonly (readonly [ConflictAnswer, boolean])[]): void {
  const rest = [...answers];
  conflicts.questions.subscribe(([question]) => {
    const answer = question && rest.shift();
    if (answer) conflicts.answer(question.id, ...answer);
  });
}

beforeEach(() => {
  kept.clear();
  service = new MemoryService();
  remembered = new RememberedUploads(
    () => store,
    () => 'issuer alice',
  );
  conflicts = new ConflictDesk();
});

describe('UploadQueue', () => {
  it('sends a small file in one request', async () => {
    const queue = makeQueue();
    queue.add([upload('a.txt', 100)]);
    await until(queue, isOver);
    expect(service.calls.map(({ call }) => call)).toEqual(['put']);
    expect(await service.objects.get('a.txt')?.text()).toBe('x'.repeat(100));
    expect(queue.view.getState().counts.stored).toBe(1);
  });

  it('measures each batch by itself, and estimates what is left of it', async () => {
    const queue = makeQueue();
    const { promise: completed, resolve: complete } = Promise.withResolvers<undefined>();
    service.before = (call, key, number) =>
      call === 'complete' || key === 'waits.bin' || number === 3 ? completed : undefined;
    queue.add([upload('large.bin', 24 * MIB), upload('small.txt', 1)]);
    queue.add([upload('waits.bin', 1)]);
    await until(queue, ({ uploads }) => (uploads[0]?.sentBytes ?? 0) === 16 * MIB);
    const [second, first] = batchesOf(queue.view.getState().uploads);
    expect([first!.uploads.length, second!.uploads.length, second!.secondsLeft]).toEqual([2, 1, undefined]);
    expect(first!.secondsLeft).toBeGreaterThan(0);
    expect(first!.secondsLeft).toBeLessThan(60);
    complete(undefined);
    await until(queue, isOver);
    expect(batchesOf(queue.view.getState().uploads).map(({ secondsLeft }) => secondsLeft)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('sends a file over 16 MiB in parts and puts them together in order', async () => {
    const queue = makeQueue();
    const whole = new Blob(['a'.repeat(8 * MIB), 'b'.repeat(8 * MIB), 'c'.repeat(5)]);
    queue.add([{ file: Object.assign(whole, { name: 'big', lastModified: 1 }), target: placeOf('big') }]);
    await until(queue, isOver);
    expect(service.count('sendPart')).toBe(3);
    const stored = service.objects.get('big')!;
    expect(stored.size).toBe(whole.size);
    expect(await stored.slice(8 * MIB - 1, 8 * MIB + 1).text()).toBe('ab');
    expect(remembered.list()).toEqual([]);
  });

  it('has no more than four requests at once', async () => {
    const queue = makeQueue();
    queue.add(['a', 'b', 'c', 'd'].map((name) => upload(name, 40 * MIB)));
    await until(queue, isOver);
    expect(service.mostAtOnce).toBe(4);
    expect(service.objects.size).toBe(4);
  });

  it('tries again after a failure that may pass', async () => {
    let failures = 3;
    service.before = (call) => {
      if (call === 'put' && failures-- > 0) throw problem('storage_unavailable');
    };
    const queue = makeQueue();
    queue.add([upload('a.txt', 10)]);
    await until(queue, isOver);
    expect(service.count('put')).toBe(4);
    expect(queue.view.getState().counts.stored).toBe(1);
  });

  it('fails at once when trying again cannot help, and tells why', async () => {
    service.before = () => {
      throw problem('access_denied');
    };
    const queue = makeQueue();
    queue.add([upload('a.txt', 10)]);
    await until(queue, isOver);
    expect(service.count('put')).toBe(1);
    expect(queue.view.getState().uploads[0]).toMatchObject({ state: 'failed', failure: { code: 'access_denied' } });
  });

  it('goes on after a pause with the parts that are missing', async () => {
    const queue = makeQueue();
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    service.before = (call, _key, number) => (call === 'sendPart' && number! > 2 ? blocked : undefined);
    queue.add([upload('big', 40 * MIB)]);
    await until(queue, (view) => view.sentBytes >= 16 * MIB);
    queue.pause(1);
    await until(queue, (view) => view.counts.paused === 1);
    service.before = () => undefined;
    release();
    service.calls.length = 0;
    queue.resume(1);
    await until(queue, isOver);
    expect(service.calls.map(({ call }) => call)).toEqual([
      'arrivedParts',
      'sendPart',
      'sendPart',
      'sendPart',
      'find',
      'complete',
    ]);
    expect(service.objects.get('big')?.size).toBe(40 * MIB);
  });

  it('goes on after a reload when the same file is chosen again', async () => {
    const first = makeQueue();
    service.before = (call, _key, number) =>
      call === 'sendPart' && number === 5 ? new Promise<void>(() => undefined) : undefined;
    first.add([upload('big', 40 * MIB)]);
    await until(first, (view) => view.sentBytes >= 32 * MIB);
    first.hold();
    service.before = () => undefined;
    service.calls.length = 0;

    const second = makeQueue();
    second.add([upload('big', 40 * MIB)]);
    await until(second, isOver);
    expect(service.calls.map(({ call, number }) => [call, number])).toEqual([
      ['arrivedParts', undefined],
      ['sendPart', 5],
      ['find', undefined],
      ['complete', undefined],
    ]);
  });

  it('starts anew when another file of that name is chosen', async () => {
    await remembered.remember({ name: 'big', size: 39 * MIB, lastModified: 1_700_000_000_000 }, placeOf('big'), {
      uploadId: 'other',
      partBytes: 8 * MIB,
    });
    const queue = makeQueue();
    queue.add([upload('big', 40 * MIB)]);
    await until(queue, isOver);
    expect(service.count('arrivedParts')).toBe(0);
    expect(service.count('sendPart')).toBe(5);
  });

  it('starts anew when the service has dropped the parts', async () => {
    await remembered.remember({ name: 'big', size: 40 * MIB, lastModified: 1_700_000_000_000 }, placeOf('big'), {
      uploadId: 'gone',
      partBytes: 8 * MIB,
    });
    const queue = makeQueue();
    queue.add([upload('big', 40 * MIB)]);
    await until(queue, isOver);
    expect(service.count('begin')).toBe(1);
    expect(service.objects.get('big')?.size).toBe(40 * MIB);
  });

  it('counts a lost answer to the last request as success when the object stands', async () => {
    service.after = (call) => {
      if (call === 'complete') throw problem('network');
    };
    const queue = makeQueue();
    queue.add([upload('big', 20 * MIB)]);
    await until(queue, isOver);
    expect(queue.view.getState().counts.stored).toBe(1);
  });

  it('does not ask about a name that its own lost request has taken', async () => {
    service.after = (call) => {
      if (call === 'put' && service.count('put') === 1) throw problem('network');
    };
    const queue = makeQueue();
    queue.add([upload('small', 10)]);
    await until(queue, isOver);
    expect(queue.view.getState().counts.stored).toBe(1);
    expect([...service.objects.keys()]).toEqual(['small']);
  });

  it('asks about a name that another took while its request was lost', async () => {
    service.before = (call) => {
      if (call !== 'put' || service.count('put') > 1) return;
      service.objects.set('small', new Blob(['of another']));
      throw problem('network');
    };
    const queue = makeQueue();
    queue.add([upload('small', 10)]);
    await until(queue, () => conflicts.questions.getState().length === 1);
    conflicts.answer(conflicts.questions.getState()[0]!.id, 'skip', false);
    await until(queue, isOver);
    expect(queue.view.getState().counts.skipped).toBe(1);
  });

  it('holds everything when the session ends, and goes on when it is back', async () => {
    let signedIn = false;
    let lost = 0;
    service.before = () => {
      if (!signedIn) throw problem('session_required');
    };
    const queue = makeQueue({ onSessionLost: () => (lost += 1) });
    queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => upload(name, 10)));
    await until(queue, (view) => view.held && service.atOnce === 0);
    expect(queue.view.getState().counts.failed).toBe(0);
    expect(lost).toBe(1);
    signedIn = true;
    queue.release();
    await until(queue, isOver);
    expect(service.objects.size).toBe(5);
  });

  it('gives up the parts of a cancelled upload', async () => {
    service.before = (call, _key, number) =>
      call === 'sendPart' && number === 2 ? new Promise<void>(() => undefined) : undefined;
    const queue = makeQueue();
    queue.add([upload('big', 20 * MIB)]);
    await until(queue, (view) => view.sentBytes > 0);
    queue.cancel(1);
    await until(queue, (view) => view.counts.cancelled === 1);
    expect(service.uploads.size).toBe(0);
    expect(remembered.list()).toEqual([]);
  });

  it.each([
    ['replace', { 'a.txt': 'new' }],
    ['keep-both', { 'a.txt': 'old', 'a (2).txt': 'new' }],
    ['skip', { 'a.txt': 'old' }],
  ] as const)('asks when the name is taken: %s', async (answer, expected) => {
    service.objects.set('a.txt', new Blob(['old']));
    answering([[answer, false]]);
    const queue = makeQueue();
    queue.add([
      { file: Object.assign(new Blob(['new']), { name: 'a.txt', lastModified: 1 }), target: placeOf('a.txt') },
    ]);
    await until(queue, isOver);
    const found = await Promise.all([...service.objects].map(async ([key, body]) => [key, await body.text()] as const));
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('asks before it sends the parts of a large file', async () => {
    service.objects.set('big', new Blob(['old']));
    answering([['skip', false]]);
    const queue = makeQueue();
    queue.add([upload('big', 20 * MIB)]);
    await until(queue, isOver);
    expect(service.count('sendPart')).toBe(0);
    expect(queue.view.getState().counts.skipped).toBe(1);
  });

  it('gives up the parts of a file that is skipped, because its name was taken while they were sent', async () => {
    service.before = (call) => {
      if (call === 'complete') service.objects.set('big', new Blob(['of another']));
    };
    answering([['skip', false]]);
    const queue = makeQueue();
    queue.add([upload('big', 20 * MIB)]);
    await until(queue, isOver);
    expect(queue.view.getState().counts.skipped).toBe(1);
    expect(service.uploads.size).toBe(0);
    expect(remembered.list()).toEqual([]);
  });

  it('never sends two files to one key at a time, so that the second finds the name taken', async () => {
    const queue = makeQueue();
    const { promise: blocked, resolve: release } = Promise.withResolvers<undefined>();
    service.before = (call, key) => (call === 'put' && key === 'same.txt' ? blocked.then(() => undefined) : undefined);
    answering([['keep-both', true]]);
    queue.add([
      upload('same.txt', 2, 'a'),
      upload('same.txt', 2, 'b'),
      upload('same.txt', 2, 'c'),
      upload('same (2).txt', 2, 'd'),
    ]);
    await until(queue, ({ counts }) => counts.stored === 1);
    expect(service.calls.map(({ key }) => key)).toEqual(['same.txt', 'same (2).txt']);
    release(undefined);
    await until(queue, isOver);
    const stored = await Promise.all([...service.objects].map(async ([key, body]) => [key, await body.text()]));
    expect(Object.fromEntries(stored)).toEqual({
      'same.txt': 'aa',
      'same (2).txt': 'dd',
      'same (3).txt': 'bb',
      'same (4).txt': 'cc',
    });
  });

  it('asks again in the next batch, even about the same key', async () => {
    const [first, second] = [conflicts.batch(), conflicts.batch()];
    answering([['replace', true]]);
    const { signal } = new AbortController();
    const named = (key: string) => ({
      target: { provider: 'main', bucket: 'files', key },
      source: { name: key, size: 1, lastModified: 1 },
    });
    expect(await first(named('taken'), signal)).toBe('replace');
    expect(await first(named('other'), signal)).toBe('replace');
    const asked = second(named('taken'), signal);
    expect(conflicts.questions.getState()).toMatchObject([{ target: { key: 'taken' } }]);
    conflicts.answer(conflicts.questions.getState()[0]!.id, 'skip', false);
    expect(await asked).toBe('skip');
  });

  it('leaves the open questions of another batch alone when the answer is for all', async () => {
    const { signal } = new AbortController();
    const taken = {
      target: { provider: 'main', bucket: 'files', key: 'taken' },
      source: { name: 'taken', size: 1, lastModified: 1 },
    };
    const [mine, other] = [conflicts.batch()(taken, signal), conflicts.batch()(taken, signal)];
    conflicts.answer(conflicts.questions.getState()[0]!.id, 'replace', true);
    expect(await mine).toBe('replace');
    expect(conflicts.questions.getState()).toHaveLength(1);
    conflicts.answer(conflicts.questions.getState()[0]!.id, 'skip', true);
    expect(await other).toBe('skip');
  });

  it('asks once when the answer is for all', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) service.objects.set(name, new Blob(['old']));
    answering([['replace', true]]);
    const queue = makeQueue();
    queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => upload(name, 3, 'n')));
    await until(queue, isOver);
    expect(await service.objects.get('e')?.text()).toBe('nnn');
  });

  it('pauses, resumes and cancels one batch, and leaves the others alone', async () => {
    const { promise: blocked, resolve: release } = Promise.withResolvers<undefined>();
    service.before = () => blocked.then(() => undefined);
    const queue = makeQueue();
    queue.add([upload('a1', 1), upload('a2', 1), upload('a3', 1)]);
    queue.add([upload('b1', 1), upload('b2', 1)]);
    const stateOf = (name: string) => queue.view.getState().uploads.find((shown) => shown.name === name)?.state;
    const [first, second] = [1, 4];
    await until(queue, ({ counts }) => counts.sending === 3);

    queue.pauseAll(first);
    await until(queue, ({ counts }) => counts.paused === 3);
    // The place of what pauses goes to the next.
    expect([stateOf('b1'), stateOf('b2')]).toEqual(['sending', 'sending']);
    queue.resumeAll(second);
    queue.cancelAll(second);
    await until(queue, ({ counts }) => counts.cancelled === 2);
    expect(queue.view.getState().counts.paused).toBe(3);
    service.before = () => undefined;
    release(undefined);
    queue.resumeAll(first);
    await until(queue, isOver);
    queue.cancelAll(first);
    expect(queue.view.getState().counts).toMatchObject({ stored: 3, cancelled: 2 });
  });

  it('withdraws the question of an upload that is cancelled', async () => {
    service.objects.set('a', new Blob(['old']));
    const queue = makeQueue();
    queue.add([upload('a', 3)]);
    await until(queue, (view) => view.counts.asking === 1);
    queue.cancel(1);
    expect(conflicts.questions.getState()).toEqual([]);
  });
});
