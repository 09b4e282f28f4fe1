import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS, type Caller } from '../../src/access/caller.ts';
import { FolderWatches, type Watcher } from '../../src/access/folder-watches.ts';
import { ObjectChanges, type ChangedObjects } from '../../src/access/object-changes.ts';
import { FOLDER_CHANGES, operations } from '../../src/audit/operations.ts';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import type { ObjectNotices } from '../../src/state/notices.ts';

const folder = { provider: 'main', bucket: 'files', prefix: '' };
const everybody: Caller = { ...ANONYMOUS, grants: EVERYTHING, effective: EVERYTHING };

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 20_000; !condition();) {
    if (performance.now() > end) throw new Error('it did not become so');
    await wait(5);
  }
}

/** Another process: it hears what this one tells, and tells what the test says. */
class Other implements ObjectNotices {
  readonly heard: (readonly string[])[] = [];
  tells: (names: unknown) => void = () => undefined;
  answer: () => Promise<void> = () => Promise.resolve();

  async tell(names: readonly string[]): Promise<void> {
    this.heard.push(names);
    await this.answer();
  }

  on(listener: (names: unknown) => void): void {
    this.tells = listener;
  }
}

describe('FOLDER_CHANGES', () => {
  it('has each operation that changes objects, unless it is known here for one after which no listing differs', () => {
    const others = ['object/setTags', 'object/presign', 'object/unarchive'];
    const uploads = ['upload/create', 'upload/part', 'upload/abort', 'upload/copyPart'];
    const changes = Object.entries(operations).flatMap(([name, { kind }]) =>
      kind === 'change' && /^(object|upload)\//.test(name) ? [name] : [],
    );
    expect([...FOLDER_CHANGES, ...others, ...uploads].sort()).toEqual(changes.sort());
  });
});

describe('ObjectChanges', () => {
  it('tells a window at once, to this process and in notices that PostgreSQL takes', async () => {
    const other = new Other();
    const changes = new ObjectChanges(other);
    const told: ChangedObjects[] = [];
    changes.on((changed) => told.push(changed));
    // Written as JSON, each character takes six bytes.
    const keys = Array.from({ length: 1_000 }, (_, i) => `${'\u0001'.repeat(500)}${i}`);
    for (const key of keys) changes.note('main', 'files', key);
    for (const key of keys.slice(0, 3)) changes.note('main', 'photos', key);
    await until(() => other.heard.length >= 16);
    expect(told.map(({ bucket, keys: { length } }) => [bucket, length])).toEqual([
      ['files', 256],
      ['photos', 3],
    ]);
    expect(Math.max(...other.heard.map((names) => Buffer.byteLength(JSON.stringify(names))))).toBeLessThan(7_000);
    expect(other.heard).toHaveLength(16);
    changes.close();
  });

  it('takes as many buckets of a window as are allowed, and all again in the next one', async () => {
    const changes = new ObjectChanges(undefined);
    const told: string[] = [];
    changes.on(({ bucket }) => told.push(bucket));
    for (let i = 0; i < 100; i++) changes.note('main', `bucket-${i}`, 'x');
    await until(() => told.length > 0);
    expect(told).toHaveLength(64);
    changes.note('main', 'bucket-99', 'x');
    await until(() => told.length > 64);
    expect(told.at(-1)).toBe('bucket-99');
  });

  it('goes on here when the others do not answer or fail, and tells them again later', async () => {
    const other = new Other();
    const changes = new ObjectChanges(other);
    const told: string[] = [];
    changes.on(({ keys }) => told.push(...keys));
    const { promise, reject } = Promise.withResolvers<undefined>();
    other.answer = () => promise;
    for (const key of ['a', 'b']) {
      changes.note('main', 'files', key);
      await until(() => told.includes(key));
    }
    expect(other.heard).toEqual([['main/files', 'a']]);
    other.answer = () => Promise.resolve();
    reject(new Error('gone'));
    await until(() => {
      changes.note('main', 'files', 'c');
      return other.heard.length > 1;
    });
    expect(other.heard[1]).toEqual(['main/files', 'c']);
    changes.close();
  });

  it('ignores what no process of the service tells', () => {
    const other = new Other();
    const told: ChangedObjects[] = [];
    new ObjectChanges(other).on((changed) => told.push(changed));
    const foreign = [
      null,
      1,
      'main/files',
      {},
      [],
      [1],
      ['main'],
      ['main/files/x', 'a'],
      ['main/..', 'a'],
      ['/files', 'a'],
    ];
    for (const names of foreign) other.tells(names);
    for (const key of [1, null, '\ud800', 'x'.repeat(1_025)]) other.tells(['main/files', 'a', key]);
    other.tells(['main/files', ...Array.from({ length: 300 }, String)]);
    expect(told).toEqual([]);
    other.tells(['main/files', 'a']);
    expect(told).toEqual([{ provider: 'main', bucket: 'files', keys: ['a'] }]);
  });
});

describe('FolderWatches', () => {
  /** A client that has read a message when the test says so. */
  function client(again: Watcher['again'] = () => Promise.resolve(everybody)) {
    const other = new Other();
    const watches = new FolderWatches(new ObjectChanges(other));
    const told: string[] = [];
    const unread: (() => void)[] = [];
    const watched = watches.open({
      again,
      tell: (watch) => {
        told.push(watch);
        return new Promise<void>((resolve) => unread.push(resolve));
      },
    });
    return {
      watches,
      watched,
      told,
      read: () => unread.shift()?.(),
      changes: (key: string) => other.tells(['main/files', key]),
    };
  }

  it('sends a client that does not read one message, whatever changes and however many folders it watches', async () => {
    const { watched, told, read, changes } = client();
    const [one, two] = [watched.begin(folder), watched.begin(folder)];
    for (let i = 0; i < 1_000; i++) changes(`k${i}`);
    await until(() => told.length > 0);
    await wait(1_100);
    changes('later');
    expect(told).toEqual([one]);
    read();
    await until(() => told.length > 1);
    expect(told).toEqual([one, two]);
    watched.close();
  });

  it('decides again before a message that waited', async () => {
    let caller: Caller | undefined = everybody;
    const { watched, told, read, changes } = client(() => Promise.resolve(caller));
    const watch = watched.begin(folder);
    changes('a');
    await until(() => told.length > 0);
    read();
    changes('b');
    await wait(100);
    caller = { ...everybody, effective: ANONYMOUS.effective };
    await wait(1_200);
    caller = everybody;
    expect(told).toEqual([watch]);
    changes('c');
    await until(() => told.length > 1);
  });

  it.each([
    ['has ended', () => Promise.resolve(undefined)],
    ['cannot be looked up', () => Promise.reject(new Error('no store'))],
  ])('tells nothing when the session %s', async (_why, again) => {
    const { watched, told, changes } = client(again);
    watched.begin(folder);
    changes('a');
    await wait(50);
    expect(told).toEqual([]);
  });

  it('forgets the folders of a client that left, also one that it asked for then', () => {
    const { watches, watched } = client();
    for (let i = 0; i < 8; i++) watched.begin(folder);
    watched.close();
    expect(watched.begin(folder)).toBe('');
    // As many as a process takes.
    const all = Array.from({ length: 1_250 }, () =>
      watches.open({ again: () => Promise.resolve(everybody), tell: () => Promise.resolve() }),
    );
    for (const each of all) for (let i = 0; i < 8; i++) each.begin(folder);
    const late = watches.open({ again: () => Promise.resolve(everybody), tell: () => Promise.resolve() });
    expect(() => late.begin(folder)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    all[0]!.close();
    expect(late.begin(folder)).not.toBe('');
  });
});
