import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { partPath } from '../../../src/client/download.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import type { Visitor } from '../../support/visitor.ts';
import { Machine } from '../../cli/svc-process.ts';
import { startStubService } from '../../cli/stub-service.ts';

let app: TestApp;
let eve: Visitor;
let credential: string;
let machine: Machine;

beforeAll(async () => {
  app = await startApp();
  eve = await app.signIn('eve');
  credential = (await signInDesktop(app, 'eve')).access_token;
});
afterAll(() => app.close());
beforeEach(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: credential });
});
afterEach(async () => {
  for (const key of await keys()) expect((await ask(objectOf(key), { method: 'DELETE' })).status).toBe(204);
  await machine.remove();
});

/** Stores an object under each key, which holds its own key. */
async function store(...names: string[]): Promise<void> {
  for (const name of names) expect((await ask(objectOf(name), { method: 'PUT', body: name })).status).toBe(200);
}

async function write(path: string): Promise<void> {
  const local = join(machine.home, path);
  await mkdir(dirname(local), { recursive: true });
  await writeFile(local, path);
}

const objectOf = (key: string) => `object?key=${encodeURIComponent(key)}`;
const ask = (what: string, init?: RequestInit) =>
  eve.request(`${app.origin}/api/providers/main/buckets/files/${what}`, {
    ...init,
    headers: { accept: 'application/json', origin: app.origin },
  });

async function keys(): Promise<string[]> {
  const { objects } = (await (await ask('objects')).json()) as { objects: { key: string }[] };
  return objects.map(({ key }) => key);
}

/** Every object with its content. */
async function stored(): Promise<Record<string, string>> {
  const found = await keys();
  return Object.fromEntries(
    await Promise.all(found.map(async (key) => [key, await (await ask(objectOf(key))).text()] as const)),
  );
}

describe('sources with one name', () => {
  it('svc mv moves the first, and says `conflict` of the second, which stays', async () => {
    await store('a/x.txt', 'b/x.txt');
    const { status, stdout, stderr } = await machine.svc(
      'mv',
      '--json',
      'main/files/a/x.txt',
      'main/files/b/x.txt',
      'main/files/arch/',
    );
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 1,
      moved: 1,
      failed: [{ path: 'main/files/b/x.txt', code: 'conflict' }],
    });
    expect(stderr).toContain('main/files/arch/x.txt');
    expect(await stored()).toEqual({ 'arch/x.txt': 'a/x.txt', 'b/x.txt': 'b/x.txt' });
  });

  it('svc cp copies the first, and says `conflict` of the second: up, down and within the service', async () => {
    await store('a/x.txt', 'b/x.txt');
    const conflict = { status: 1, stderr: expect.stringContaining('b/x.txt') };
    await write('a/x.txt');
    await write('b/x.txt');
    expect(await machine.svc('cp', 'a/x.txt', 'b/x.txt', 'svc:main/files/up/')).toMatchObject(conflict);
    expect(
      await machine.svc('cp', 'svc:main/files/a/x.txt', 'svc:main/files/b/x.txt', 'svc:main/files/within/'),
    ).toMatchObject(conflict);
    expect(await stored()).toMatchObject({ 'up/x.txt': 'a/x.txt', 'within/x.txt': 'a/x.txt' });
    expect(await machine.svc('cp', 'svc:main/files/a/x.txt', 'svc:main/files/b/x.txt', 'down')).toMatchObject(conflict);
    expect(await readFile(join(machine.home, 'down/x.txt'), 'utf8')).toBe('a/x.txt');
  });

  it('-r refuses folders with one name before anything moves', async () => {
    await store('a/f/1', 'b/f/1');
    await write('a/f/1');
    await write('b/f/1');
    const refused = { status: 2, stderr: expect.stringMatching(/`f`.*separately/) };
    expect(await machine.svc('mv', '-r', 'main/files/a/f', 'main/files/b/f', 'main/files/arch')).toMatchObject(refused);
    expect(
      await machine.svc('cp', '-r', 'svc:main/files/a/f', 'svc:main/files/b/f', 'svc:main/files/arch'),
    ).toMatchObject(refused);
    expect(await machine.svc('cp', '-r', 'svc:main/files/a/f', 'svc:main/files/b/f', 'down')).toMatchObject(refused);
    expect(await machine.svc('cp', '-r', 'a/f', 'b/f', 'svc:main/files/arch')).toMatchObject(refused);
    expect(await stored()).toEqual({ 'a/f/1': 'a/f/1', 'b/f/1': 'b/f/1' });
    expect(await readdir(machine.home)).not.toContain('down');
  });
});

describe('a target that overlaps with a source', () => {
  it('is refused when an object would take the place of another that is still to move', async () => {
    const names = ['anc/f/f/x', 'anc/f/x'];
    await store(...names);
    const all = Object.fromEntries(names.map((key) => [key, key]));
    for (const verb of ['mv', 'cp']) {
      const path = (key: string) => (verb === 'cp' ? `svc:main/files/${key}` : `main/files/${key}`);
      expect(await machine.svc(verb, '-r', path('anc/f'), path('anc/'))).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('main/files/anc/f/x'),
      });
      expect(await machine.svc(verb, '-r', path('anc'), path('anc/f'))).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('within the source'),
      });
      expect(await machine.svc(verb, path('anc/f/f/x'), path('anc/f/x'), path('anc/f/'))).toMatchObject({ status: 2 });
    }
    expect(await stored()).toEqual(all);
  });

  it('may lie above it when no object is in the way', async () => {
    await store('anc/f/deep/x', 'anc/f/y', 'anc/z');
    expect(await machine.svc('mv', '-r', 'main/files/anc/f', 'main/files/anc')).toMatchObject({
      status: 0,
      stdout: 'moved 2 objects\n',
    });
    expect(await stored()).toEqual({ 'anc/deep/x': 'anc/f/deep/x', 'anc/y': 'anc/f/y', 'anc/z': 'anc/z' });
  });

  it('is noticed across several sources too', async () => {
    await store('p/f/f/z/k', 't/f/z/k');
    expect(await machine.svc('mv', '-r', 'main/files/p/f', 'main/files/t/f/z', 'main/files/t')).toMatchObject({
      status: 0,
    });
    await store('p/f/z/k', 't/f/z/k');
    expect(await machine.svc('mv', '-r', 'main/files/p/f', 'main/files/t/f/z', 'main/files/t')).toMatchObject({
      status: 2,
    });
  });
});

describe('keys that differ only in case', () => {
  it('do not overwrite each other where the file system takes them for one', async () => {
    const stub = await startStubService({
      content: Buffer.from('content'),
      keys: ['f/A.txt', 'f/a.txt', 'f/\u00e9', 'f/e\u0301', 'f/b'],
    });
    const down = (target: string, platform: string) =>
      machine.start(['cp', '-r', '--json', '--server', stub.url, 'svc:main/files/f', target], {
        NODE_OPTIONS: `--import data:text/javascript,Object.defineProperty(process,'platform',{value:'${platform}'})`,
      }).ended;
    const [{ status, stdout }, onLinux] = [await down('mac', 'darwin'), await down('linux', 'linux')];
    await stub.close();
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 1,
      copied: 3,
      failed: [
        { path: 'main/files/f/a.txt', code: 'conflict' },
        { path: 'main/files/f/e\u0301', code: 'conflict' },
      ],
    });
    expect(onLinux).toMatchObject({ status: 0 });
  });
});

describe('an object with the name of a file that keeps what has arrived of another', () => {
  it('is refused, and does not become the other', async () => {
    await store('in/x.txt');
    const etag = (await ask(objectOf('in/x.txt'), { method: 'HEAD' })).headers.get('etag')!;
    const part = basename(partPath('x.txt', { provider: 'main', bucket: 'files', key: 'in/x.txt' }, etag));
    expect((await ask(objectOf(`in/${part}`), { method: 'PUT', body: 'not it!!' })).status).toBe(200);

    const refused = { status: 1, stderr: expect.stringContaining(part) };
    expect(await machine.svc('cp', '-r', '--exclude', 'x.txt', 'svc:main/files/in', 'down')).toMatchObject(refused);
    expect(await machine.svc('cp', `svc:main/files/in/${part}`, 'down/')).toMatchObject(refused);
    expect(await machine.svc('cp', `svc:main/files/in/${part}`, `down/${part.toUpperCase()}`)).toMatchObject(refused);
    expect(await machine.svc('cp', '-r', 'svc:main/files/in', 'down')).toMatchObject(refused);
    expect(await readdir(join(machine.home, 'down'))).toEqual(['x.txt']);
    expect(await readFile(join(machine.home, 'down/x.txt'), 'utf8')).toBe('in/x.txt');
  });
});

describe('a local name that cannot be read', () => {
  it('is one failed file, and the rest is copied', async () => {
    await write('up/a.txt');
    await write('up/z.txt');
    await writeFile(Buffer.concat([Buffer.from(join(machine.home, 'up/n')), Buffer.from([0xff])]), 'x');
    const { status, stdout } = await machine.svc('cp', '-r', '--json', 'up', 'svc:main/files/up');
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 1,
      copied: 2,
      failed: [{ path: 'up/n\ufffd', code: 'unsafe_name' }],
    });
    expect(Object.keys(await stored())).toEqual(['up/a.txt', 'up/z.txt']);
  });

  it('as a source that is not there is one failed source', async () => {
    await write('a.txt');
    const { status, stdout } = await machine.svc('cp', '--json', 'missing', 'a.txt', 'svc:main/files/');
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 1,
      copied: 1,
      failed: [{ path: 'missing' }],
    });
  });
});
