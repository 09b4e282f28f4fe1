import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection } from '../../../src/client/connection.ts';
import { Watches } from '../../../src/desktop/watches.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { filesOf, type Files } from '../../support/files.ts';
import { openUploads } from '../../support/s3rver-gaps.ts';

const MIB = 1_048_576;
const LOOK_MS = 40;
const files = { provider: 'main', bucket: 'files' } as const;

let app: TestApp;
let stored: Files;
let credential: string;
let state: string;
let folder: string;
let owner: string | undefined;
let refused: [string, number][];
const running: Watches[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  app = await startApp();
  stored = filesOf(app, await app.signIn('ada'), 'files');
  credential = (await signInDesktop(app, 'dan')).access_token;
});
afterAll(() => app.close());
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'svc-watches-'));
  folder = join(state, 'local');
  await mkdir(folder);
  [owner, refused] = ['dan', []];
});
afterEach(async () => {
  for (const watches of running.splice(0)) watches.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(state, { recursive: true, maxRetries: 5 });
});

/** As after a start of the application. */
function open(lookMs = LOOK_MS): Watches {
  const connection = new Connection(app.origin, credential);
  const watches = new Watches({
    folder: state,
    connection: () => connection,
    owner: () => owner,
    onRefused: (...told) => refused.push(told),
    lookMs,
  });
  running.push(watches);
  return watches;
}

async function eventually(look: () => unknown, expected: unknown): Promise<void> {
  const last = Date.now() + 60_000;
  while (Date.now() < last) {
    try {
      expect(await look()).toEqual(expected);
      return;
    } catch {
      await wait(LOOK_MS);
    }
  }
  expect(await look()).toEqual(expected);
}

const write = (path: string, content: string | Buffer) => writeFile(join(folder, path), content);
const textOf = async (key: string) => (await stored.get(key)).text();
const statusOf = (watches: Watches) => watches.list()[0];
const settled = (watches: Watches, expected: Record<string, unknown>) =>
  eventually(() => statusOf(watches), expect.objectContaining({ waiting: 0, ...expected }));
const severalLooks = () => wait(10 * LOOK_MS);

describe('a watched folder', () => {
  it('is uploaded: what is there, what comes, and what changes; nothing is deleted, and links and temporary files are left out', async () => {
    await mkdir(join(folder, 'sea/deep'), { recursive: true });
    await mkdir(join(folder, '.git'));
    await Promise.all([
      write('a.txt', 'a'),
      write('sea/deep/ü.txt', 'deep'),
      write('.hidden', 'no'),
      write('.git/config', 'no'),
      write('~$report.docx', 'no'),
      write('film.mp4.part', 'no'),
      write('a.txt~', 'no'),
    ]);
    await symlink('/etc/passwd', join(folder, 'link.txt'));
    await symlink('/etc', join(folder, 'linked'));
    const watches = open();
    watches.begin(folder, { ...files, key: 'one/' });
    await settled(watches, { folder: 'local', stored: 2, refusedCount: 0, trouble: undefined });
    expect(await stored.keys('one/')).toEqual(['one/a.txt', 'one/sea/deep/ü.txt']);
    await rename(join(folder, 'film.mp4.part'), join(folder, 'film.mp4'));
    await write('a.txt', 'changed');
    await rm(join(folder, 'sea'), { recursive: true });
    await eventually(() => textOf('one/a.txt'), 'changed');
    await settled(watches, { stored: 3 });
    expect(await stored.keys('one/')).toEqual(['one/a.txt', 'one/film.mp4', 'one/sea/deep/ü.txt']);
  });

  it('waits for a file that is still written', async () => {
    const watches = open(5 * LOOK_MS);
    watches.begin(folder, { ...files, key: 'rest/' });
    for (let at = 0; at < 40; at += 1) {
      await write('log.txt', 'x'.repeat(at + 1));
      await wait(LOOK_MS / 2);
    }
    expect(await stored.keys('rest/')).toEqual([]);
    await eventually(() => textOf('rest/log.txt'), 'x'.repeat(40));
  });

  it('never overwrites what somebody else has put there, before or since, and tells it', async () => {
    await stored.put('taken/theirs.txt', 'theirs');
    await stored.put('taken/same.txt', 'same');
    await Promise.all([write('theirs.txt', 'ours'), write('same.txt', 'same'), write('mine.txt', 'mine')]);
    const watches = open();
    watches.begin(folder, { ...files, key: 'taken/' });
    await settled(watches, {
      stored: 2,
      refusedCount: 1,
      refused: [{ path: 'theirs.txt', failure: expect.objectContaining({ code: 'precondition_failed' }) }],
    });
    await stored.put('taken/mine.txt', 'somebody was here');
    await write('mine.txt', 'mine again');
    await settled(watches, { stored: 1, refusedCount: 2 });
    expect(await textOf('taken/theirs.txt')).toBe('theirs');
    expect(await textOf('taken/mine.txt')).toBe('somebody was here');
    expect(refused).toEqual([
      ['local', 1],
      ['local', 1],
    ]);
  });

  it('asks once for what policy refuses, also after a restart', async () => {
    await mkdir(join(folder, 'secret'));
    await Promise.all([write('secret/a.txt', 'a'), write('b.txt', 'b')]);
    const watches = open();
    watches.begin(folder, { ...files, key: '' });
    await settled(watches, {
      stored: 1,
      refusedCount: 1,
      refused: [{ path: 'secret/a.txt', failure: expect.objectContaining({ code: 'access_denied' }) }],
    });
    watches.close();
    const again = open();
    const denials = () => app.logged().split('access_denied').length;
    const before = denials();
    await severalLooks();
    expect(statusOf(again)).toMatchObject({ stored: 1, refusedCount: 1 });
    expect(denials()).toBe(before);
    expect(refused).toEqual([['local', 1]]);
  });

  it('is nobody’s but of the person who began it, and rests while they are signed out', async () => {
    const watches = open();
    const id = watches.begin(folder, { ...files, key: 'own/' });
    for (owner of ['eve', undefined]) {
      await write('a.txt', 'a');
      await severalLooks();
      expect(watches.list()).toEqual([]);
      await expect(watches.end(id)).rejects.toThrow('there is no such folder');
    }
    expect(await stored.keys('own/')).toEqual([]);
    owner = 'dan';
    await settled(watches, { stored: 1 });
    expect((await readdir(state)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
    for (const name of (await readdir(state)).filter((one) => one.endsWith('.jsonl')))
      expect((await stat(join(state, name))).mode & 0o777).toBe(0o600);
    await watches.end(id);
    await write('b.txt', 'b');
    await severalLooks();
    expect(await stored.keys('own/')).toEqual(['own/a.txt']);
    expect((await readdir(state)).filter((name) => name.endsWith('.jsonl'))).toEqual(['watches.jsonl']);
    expect(open().list()).toEqual([]);
  });

  it('is asked for by a dialog, once at a time, and not for another person than the one who asked', async () => {
    const watches = open();
    const answer = Promise.withResolvers<string | undefined>();
    const asked = watches.beginAs({ ...files, key: 'dialog/' }, 'title', () => answer.promise);
    await expect(watches.beginAs({ ...files, key: 'dialog/' }, 'title', () => answer.promise)).rejects.toThrow(
      'cannot be asked now',
    );
    owner = 'eve';
    answer.resolve(folder);
    expect(await asked).toBeNull();
    expect(watches.list()).toEqual([]);
    await expect(
      watches.beginAs({ ...files, key: 'no-folder' }, 'title', () => Promise.resolve(folder)),
    ).rejects.toThrow('files go into a folder');
  });

  it('that is away is told, and forgets nothing', async () => {
    await write('a.txt', 'a');
    const watches = open();
    watches.begin(folder, { ...files, key: 'away/' });
    await settled(watches, { stored: 1 });
    await rename(folder, `${folder} away`);
    await settled(watches, { stored: 1, trouble: expect.objectContaining({ code: 'file_unreadable' }) });
    expect(JSON.stringify(watches.list())).not.toContain(state);
    await rename(`${folder} away`, folder);
    await settled(watches, { stored: 1, trouble: undefined });
  });

  it('goes on after kill -9, with the parts that have arrived', async () => {
    const content = randomBytes(64 * MIB);
    await Promise.all([
      write('large.bin', content),
      ...Array.from({ length: 30 }, (_, at) => write(`small ${at}.txt`, `content ${at}`)),
    ]);
    const begun = () => openUploads(app.s3.server.store, 'files');
    const start = (...args: string[]) => {
      const child = fork(join(import.meta.dirname, '../../support/watching-process.ts'), [
        state,
        app.origin,
        credential,
        ...args,
      ]);
      children.push(child);
      return child;
    };
    const first = start(folder);
    while ((await begun()).length === 0) await wait(5);
    await wait(100);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const ids = await begun();
    const second = start();
    let last: ReturnType<Watches['list']>[0] | undefined;
    second.on('message', ([status]: ReturnType<Watches['list']>) => (last = status));
    const seen = new Set(ids);
    await eventually(
      async () => {
        for (const id of await begun()) seen.add(id);
        return last;
      },
      expect.objectContaining({ stored: 31, waiting: 0, refusedCount: 0 }),
    );
    expect([...seen]).toEqual(ids);
    expect(ids).toHaveLength(1);
    expect(await begun()).toEqual([]);
    expect((await stored.keys('kept/')).length).toBe(31);
    expect(Buffer.from(await (await stored.get('kept/large.bin')).arrayBuffer()).equals(content)).toBe(true);
  });
});
