import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { openUploads } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

// Each test carries tens of megabytes three times over.
jest.setTimeout(120_000);

const MIB = 1024 * 1024;
/** Four parts of 8 MiB, the last of them short. */
const CONTENT = Buffer.concat([randomBytes(MIB), Buffer.alloc(23 * MIB + 17, 'large '), randomBytes(MIB)]);

let app: TestApp;
let machine: Machine;
let eve: RpcClient;
let session: string;

beforeAll(async () => {
  app = await startApp();
  session = (await signInDesktop(app, 'eve')).access_token;
  eve = RpcClient.bearer(app.origin, session);
});
afterAll(() => app.close());
beforeEach(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, {
    SVC_SERVER: app.origin,
    SVC_CREDENTIAL: session,
    XDG_STATE_HOME: join(machine.home, 'state'),
  });
  await writeFile(join(machine.home, 'large.bin'), CONTENT);
  app.storageCalls.reset();
});
afterEach(async () => {
  app.storageCalls.spoil = undefined;
  await machine.remove();
});

const partOf = (call: string) => Number(/^PUT \/\S+[?&]partNumber=(\d+)/.exec(call)?.[1] ?? 0);
const partsSent = () =>
  app.storageCalls.calls
    .map(partOf)
    .filter((number) => number > 0)
    .sort((a, b) => a - b);
const leftInStorage = () => openUploads(app.s3.server.store, 'files');
const stateFolder = () => join(machine.home, 'state/svc/uploads');
const rememberedFiles = () => readdir(stateFolder()).catch(() => []);

/** Begins a copy and kills it, without any mercy, when parts 1 and 2 have arrived and the rest hang. */
async function killedInTheMiddle(key: string): Promise<void> {
  app.storageCalls.spoil = (call) => (partOf(call) > 2 ? 'hold' : undefined);
  const running = machine.start(['cp', '-j', '2', 'large.bin', `svc:main/files/${key}`]);
  const arrived = async () => {
    const [id] = await leftInStorage();
    return id === undefined
      ? 0
      : (await eve.call('upload/get', { provider: 'main', bucket: 'files', key, id: (await remembered()).uploadId }))
          .parts.length;
  };
  while (partsSent().length < 4 || (await arrived()) < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  running.child.kill('SIGKILL');
  expect((await running.ended).status).toBeNull();
  app.storageCalls.spoil = undefined;
  app.storageCalls.reset();
}

async function remembered(): Promise<{ readonly uploadId: string; readonly target: object }> {
  const [file = ''] = await rememberedFiles();
  return JSON.parse(await readFile(join(stateFolder(), file), 'utf8')) as { uploadId: string; target: object };
}

async function rememberAs(other: { readonly begunAt: string }): Promise<void> {
  const [file = ''] = await rememberedFiles();
  await writeFile(join(stateFolder(), file), JSON.stringify({ ...(await remembered()), ...other }));
}

async function requireStored(key: string, content: Buffer): Promise<void> {
  const { url } = await eve.call('transfer/create', { direction: 'download', provider: 'main', bucket: 'files', key });
  const body = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect({ bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }).toEqual({
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
}

describe('svc cp of a large file', () => {
  it('sends it in parts that a proxy lets through, whole and equal, and leaves nothing behind', async () => {
    expect(await machine.svc('cp', '-j', '3', 'large.bin', 'svc:main/files/in parts.bin')).toEqual({
      status: 0,
      stdout: 'copied 1 file (25 MiB)\n',
      stderr: '',
    });
    expect(partsSent()).toEqual([1, 2, 3, 4]);
    await requireStored('in parts.bin', CONTENT);
    expect({ uploads: await leftInStorage(), remembered: await rememberedFiles() }).toEqual({
      uploads: [],
      remembered: [],
    });
    expect(await eve.call('object/head', { provider: 'main', bucket: 'files', key: 'in parts.bin' })).toMatchObject({
      contentType: 'application/octet-stream',
    });
  });

  it('never has more parts under way than `-j` allows', async () => {
    app.storageCalls.spoil = (call) => (partOf(call) > 0 ? 'hold' : undefined);
    const running = machine.start(['cp', '-j', '2', 'large.bin', 'svc:main/files/bounded.bin']);
    while (partsSent().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(partsSent()).toEqual([1, 2]);
    running.child.kill('SIGKILL');
    await running.ended;
    await eve.call('upload/abort', {
      provider: 'main',
      bucket: 'files',
      key: 'bounded.bin',
      id: (await remembered()).uploadId,
    });
  });

  it('goes on after a kill with the missing parts alone, and says so', async () => {
    await killedInTheMiddle('killed.bin');
    expect((await stat(join(stateFolder(), (await rememberedFiles())[0] ?? ''))).mode & 0o777).toBe(0o600);
    expect(await remembered()).toMatchObject({
      server: app.origin,
      target: { provider: 'main', bucket: 'files', key: 'killed.bin' },
    });
    expect(JSON.stringify(await remembered())).not.toContain(session);

    const again = await machine.svc('cp', 'large.bin', 'svc:main/files/killed.bin');
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('large.bin: goes on with the upload that broke off: 2 of 4 parts have arrived'),
    });
    expect(partsSent()).toEqual([3, 4]);
    await requireStored('killed.bin', CONTENT);
    expect({ uploads: await leftInStorage(), remembered: await rememberedFiles() }).toEqual({
      uploads: [],
      remembered: [],
    });
  });

  it('begins anew, and drops the old upload, when the file has changed since', async () => {
    await killedInTheMiddle('changed.bin');
    const before = await leftInStorage();
    const content = Buffer.from(CONTENT);
    content.write('changed');
    await writeFile(join(machine.home, 'large.bin'), content);
    await utimes(join(machine.home, 'large.bin'), new Date(), new Date(Date.now() + 5000));

    const again = await machine.svc('cp', 'large.bin', 'svc:main/files/changed.bin');
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('has changed since its upload broke off, which begins anew'),
    });
    expect(partsSent()).toEqual([1, 2, 3, 4]);
    await requireStored('changed.bin', content);
    expect({ before: before.length, after: await leftInStorage() }).toEqual({ before: 1, after: [] });
  });

  it('begins anew when storage has dropped the upload', async () => {
    await killedInTheMiddle('dropped.bin');
    await eve.call('upload/abort', {
      provider: 'main',
      bucket: 'files',
      key: 'dropped.bin',
      id: (await remembered()).uploadId,
    });
    expect(await machine.svc('cp', 'large.bin', 'svc:main/files/dropped.bin')).toMatchObject({ status: 0, stderr: '' });
    await requireStored('dropped.bin', CONTENT);
  });

  it('tries a part again that storage did not take', async () => {
    let faults = 0;
    app.storageCalls.spoil = (call) => (partOf(call) === 2 && (faults += 1) <= 2 ? 'busy' : undefined);
    expect(await machine.svc('cp', 'large.bin', 'svc:main/files/tried.bin')).toMatchObject({ status: 0, stderr: '' });
    expect(faults).toBe(3);
    await requireStored('tried.bin', CONTENT);
  });

  it('keeps what has arrived when the session ends, and goes on after the next sign-in', async () => {
    const { access_token: short } = await signInDesktop(app, 'eve');
    app.storageCalls.spoil = (call) => (partOf(call) > 2 ? 'hold' : undefined);
    const running = machine.start(['cp', '-j', '1', 'large.bin', 'svc:main/files/session.bin'], {
      SVC_CREDENTIAL: short,
    });
    while (partsSent().length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await fetch(`${app.origin}/v1/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${short}` } });
    app.storageCalls.spoil = (call) => (partOf(call) > 2 ? 'cut' : undefined);
    const ended = await running.ended;
    expect(ended).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('what has arrived is kept; give the same command again'),
    });
    app.storageCalls.spoil = undefined;
    expect(await machine.svc('cp', 'large.bin', 'svc:main/files/session.bin')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('2 of 4 parts have arrived'),
    });
    await requireStored('session.bin', CONTENT);
  });

  it('leaves nothing in storage or here when it is denied', async () => {
    const { access_token: vic } = await signInDesktop(app, 'vic');
    const denied = await machine.start(['cp', 'large.bin', 'svc:main/files/denied.bin'], { SVC_CREDENTIAL: vic }).ended;
    expect(denied).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('`objects:write` on `main/files/denied.bin` is not allowed'),
    });
    expect({ parts: partsSent(), uploads: await leftInStorage(), remembered: await rememberedFiles() }).toEqual({
      parts: [],
      uploads: [],
      remembered: [],
    });
  });

  it('drops what has arrived when it is refused for good', async () => {
    // Storage says that it knows neither the part's upload nor what has arrived of it.
    app.storageCalls.spoil = (call) => (partOf(call) === 4 || /^GET .*uploadId=/.test(call) ? 'gone' : undefined);
    const { status, stderr } = await machine.svc('cp', 'large.bin', 'svc:main/files/refused.bin');
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('not found') });
    expect({ uploads: await leftInStorage(), remembered: await rememberedFiles() }).toEqual({
      uploads: [],
      remembered: [],
    });
  });

  it('works with an API key that may do nothing but write there', async () => {
    const scope = {
      rules: [
        {
          actions: ['objects:write'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'files', prefix: 'nightly/' }],
        },
      ],
    } as const;
    const { credential } = await eve.call('apiKey/create', { description: 'nightly', scope });
    const withKey = (target: string) =>
      machine.start(['cp', 'large.bin', target], { SVC_CREDENTIAL: credential }).ended;
    expect(await withKey('svc:main/files/nightly/backup.bin')).toMatchObject({ status: 0, stderr: '' });
    await requireStored('nightly/backup.bin', CONTENT);
    expect(await withKey('svc:main/files/elsewhere.bin')).toMatchObject({ status: 3 });
    expect(await leftInStorage()).toEqual([]);
  });
});

describe('an upload that broke off and whose file is at its target meanwhile', () => {
  const elsewhere = () => ({ XDG_STATE_HOME: join(machine.home, 'elsewhere') });
  /** Breaks off, and stores the same file without what is remembered here. */
  async function storedMeanwhile(key: string): Promise<void> {
    await killedInTheMiddle(key);
    await rememberAs({ begunAt: new Date(Date.now() - 60_000).toISOString() });
    const again = machine.start(['cp', 'large.bin', `svc:main/files/${key}`], elsewhere());
    expect(await again.ended).toMatchObject({ status: 0, stdout: 'copied 1 file (25 MiB)\n' });
    expect(await rememberedFiles()).toHaveLength(1);
  }
  const NOTHING_LEFT = { uploads: [], remembered: [] };
  const left = async () => ({ uploads: await leftInStorage(), remembered: await rememberedFiles() });

  it('is forgotten, with its parts, when `--resume` leaves the file out; a dry run forgets nothing', async () => {
    await storedMeanwhile('there.bin');
    const resume = ['cp', '--resume', 'large.bin', 'svc:main/files/there.bin'];
    expect(await machine.svc(...resume, '--dry-run')).toMatchObject({ status: 0 });
    expect(await rememberedFiles()).toHaveLength(1);
    expect(await machine.svc(...resume)).toMatchObject({ status: 0, stdout: expect.stringContaining('1 left out') });
    expect(await left()).toEqual(NOTHING_LEFT);
  });

  it('is forgotten when `svc sync` leaves it out, also when storage has its parts no more', async () => {
    const key = 'synced/large.bin';
    await storedMeanwhile(key);
    const id = (await remembered()).uploadId;
    await eve.call('upload/abort', { provider: 'main', bucket: 'files', key, id });
    expect(await machine.svc('sync', '--include', 'large.bin', '.', 'svc:main/files/synced')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 left out'),
    });
    expect(await left()).toEqual(NOTHING_LEFT);
    expect(await machine.svc('uploads')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('is left alone when it began after what is there: another command may still send it', async () => {
    const target = 'svc:main/files/sent again.bin';
    expect(await machine.svc('cp', 'large.bin', target)).toMatchObject({ status: 0 });
    app.storageCalls.reset();
    const { promise: asked, resolve: pass } = Promise.withResolvers<undefined>();
    app.storageCalls.before = (call) => (partOf(call) > 2 ? asked : Promise.resolve());
    const running = machine.start(['cp', '-j', '1', '--content-type', 'image/png', 'large.bin', target]);
    while (partsSent().length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await machine.svc('cp', '--resume', 'large.bin', target)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 left out'),
    });
    app.storageCalls.before = undefined;
    pass(undefined);
    expect(await running.ended).toMatchObject({ status: 0 });
    expect(await left()).toEqual(NOTHING_LEFT);
  });

  it('is left alone when its content may be newer than what is there, and goes on later', async () => {
    const key = 'newer/large.bin';
    const { url } = await eve.call('transfer/create', { direction: 'upload', provider: 'main', bucket: 'files', key });
    await fetch(url, { method: 'PUT', body: Buffer.alloc(CONTENT.length, 'old') });
    await killedInTheMiddle(key);
    const sync = ['sync', '--include', 'large.bin', '.', 'svc:main/files/newer'];
    expect(await machine.svc(...sync, '--size-only')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 left out'),
    });
    expect(await machine.svc(...sync)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('2 of 4 parts have arrived'),
    });
    await requireStored(key, CONTENT);
    expect(await left()).toEqual(NOTHING_LEFT);
  });

  it('asks the service nothing more about a file whose upload did not break off', async () => {
    expect(await machine.svc('cp', 'large.bin', 'svc:main/files/whole.bin')).toMatchObject({ status: 0 });
    app.storageCalls.reset();
    const again = await machine.svc('cp', '--resume', 'large.bin', 'svc:main/files/whole.bin');
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('1 left out') });
    expect(app.storageCalls.calls.filter((call) => call.includes('uploadId'))).toEqual([]);
  });
});

describe('svc uploads', () => {
  it('lists what broke off, and drops it from storage and from here', async () => {
    await killedInTheMiddle('given up.bin');
    const path = join(machine.home, 'large.bin');
    expect(await machine.svc('uploads')).toEqual({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^\\S+ \\S+Z {2}25 MiB {2}${path} {2}main/files/given up\\.bin\\n$`)),
      stderr: '',
    });
    expect(JSON.parse((await machine.svc('uploads', '--json', 'large.bin')).stdout)).toMatchObject([
      { path, target: 'main/files/given up.bin', size: CONTENT.length },
    ]);
    expect(await machine.svc('uploads', '--drop', 'other.bin')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no upload of `other.bin`'),
    });
    expect(await machine.svc('uploads', '--drop')).toEqual({ status: 0, stdout: 'dropped 1 upload\n', stderr: '' });
    expect({ uploads: await leftInStorage(), remembered: await rememberedFiles() }).toEqual({
      uploads: [],
      remembered: [],
    });
    expect(await machine.svc('uploads')).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
