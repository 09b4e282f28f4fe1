import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { countCalls, type CallCounter } from '../support/call-counter.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { freePort } from '../support/free-port.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { openUploads } from '../support/s3rver-gaps.ts';

jest.setTimeout(180_000);

const MIB = 1024 * 1024;
const files = { provider: 'main', bucket: 'files' } as const;

export type AskedUpload = { readonly path: string; readonly key: string; readonly whenTaken: 'refuse' | 'replace' };

/** `ended` resolves with `stored`, or with the code of the failure. */
export type StartedUpload = {
  readonly ended: Promise<string>;
  /** Ends the client without any mercy. */ readonly kill: () => Promise<void>;
};

/** A client of its own, outside of the test: it sends one part at a time, and remembers what it began. */
export type UploadClient = { upload(asked: AskedUpload): Promise<StartedUpload>; close(): Promise<void> };

/** What every way to the service does with an upload. @param open - is given the service, whose address is `origin`. */
export function uploadContract(
  open: (app: TestApp, origin: string, directory: string) => Promise<UploadClient>,
  more: Parameters<typeof startApp>[0] = {},
): void {
  let app: TestApp;
  /** Stands before the service and cuts connections. */
  let front: CallCounter;
  let eve: RpcClient;
  let client: UploadClient;
  let directory: string;

  beforeAll(async () => {
    const inner = await freePort();
    let outer = 0;
    app = await startApp({
      ...more,
      config: (config) => {
        const server = config['server'] as { port: number };
        outer = server.port;
        return { ...config, server: { ...server, port: inner } };
      },
    });
    front = await countCalls(`http://127.0.0.1:${inner}`, outer);
    directory = await mkdtemp(join(tmpdir(), 'svc-transfer-'));
    eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    client = await open(app, app.origin, directory);
  });
  afterAll(async () => {
    await client.close();
    await front.close();
    await app.close();
    await rm(directory, { recursive: true });
  });
  afterEach(async () => {
    Object.assign(front, { spoil: undefined, loses: undefined, repeats: undefined });
    Object.assign(app.storageCalls, { spoil: undefined, before: undefined });
    app.storageCalls.reset();
    expect(await openUploads(app.s3.server.store, 'files')).toEqual([]);
  });

  const partsSent = () =>
    app.storageCalls.calls.flatMap((call) => /[?&]partNumber=(\d+)/.exec(call)?.[1] ?? []).map(Number);
  const hasSeen = (pattern: RegExp) => app.storageCalls.calls.some((call) => pattern.test(call));

  /** A local file. From 16 MiB on it goes in parts of 8 MiB. */
  async function local(name: string, bytes: number): Promise<{ readonly path: string; readonly content: Buffer }> {
    const content = randomBytes(bytes);
    await writeFile(join(directory, name), content);
    return { path: join(directory, name), content };
  }

  async function stored(key: string): Promise<Buffer> {
    const { url } = await eve.call('transfer/create', { ...files, direction: 'download', key });
    return Buffer.from(await (await fetch(url)).arrayBuffer());
  }

  async function outcomeOf(asked: AskedUpload): Promise<string> {
    return (await client.upload(asked)).ended;
  }

  it.each([
    ['in one request', 1 * MIB, []],
    ['in parts', 20 * MIB, [1, 2, 3]],
  ] as const)('stores a file %s', async (how, bytes, parts) => {
    const { path, content } = await local('plain.bin', bytes);
    expect(await outcomeOf({ path, key: `plain ${how}.bin`, whenTaken: 'refuse' })).toBe('stored');
    expect((await stored(`plain ${how}.bin`)).equals(content)).toBe(true);
    expect(partsSent()).toEqual(parts);
  });

  it.each([
    ['in one request', 10],
    ['in parts', 20 * MIB],
  ] as const)('replaces nothing unasked %s', async (how, bytes) => {
    const key = `taken ${how}.bin`;
    const first = await local('first.bin', 10);
    await outcomeOf({ path: first.path, key, whenTaken: 'refuse' });
    const second = await local('second.bin', bytes);
    expect(await outcomeOf({ path: second.path, key, whenTaken: 'refuse' })).toBe('precondition_failed');
    expect((await stored(key)).equals(first.content)).toBe(true);
    expect(await outcomeOf({ path: second.path, key, whenTaken: 'replace' })).toBe('stored');
    expect((await stored(key)).equals(second.content)).toBe(true);
  });

  it('sends a part again whose connection was cut', async () => {
    const { path, content } = await local('cut.bin', 20 * MIB);
    let cuts = 0;
    front.spoil = (call) =>
      call.startsWith('PUT ') && hasSeen(/partNumber=1/) && (cuts += 1) === 1 ? 'cut' : undefined;
    expect(await outcomeOf({ path, key: 'cut.bin', whenTaken: 'refuse' })).toBe('stored');
    expect(cuts).toBeGreaterThan(1);
    expect((await stored('cut.bin')).equals(content)).toBe(true);
  });

  it.each([
    ['the only request', 10, /^PUT \S+lost/],
    ['the completion', 20 * MIB, /^POST \S+[?&]uploadId=/],
  ] as const)('counts a lost answer to %s as success', async (_what, bytes, last) => {
    const { path, content } = await local('lost.bin', bytes);
    let lost = 0;
    front.loses = () => hasSeen(last) && (lost += 1) === 1;
    expect(await outcomeOf({ path, key: `lost ${bytes}.bin`, whenTaken: 'refuse' })).toBe('stored');
    expect(lost).toBeGreaterThan(1);
    expect((await stored(`lost ${bytes}.bin`)).equals(content)).toBe(true);
  });

  it.each([
    ['the only request', 10, 'refuse', /^PUT \S+repeated/],
    ['the only request', 10, 'replace', /^PUT \S+repeated/],
    ['a part', 20 * MIB, 'replace', /partNumber=1/],
    ['the completion', 20 * MIB, 'refuse', /^POST \S+[?&]uploadId=/],
    ['the completion', 20 * MIB, 'replace', /^POST \S+[?&]uploadId=/],
  ] as const)('stores a file once when a proxy repeats %s (%d bytes, %s)', async (what, bytes, whenTaken, done) => {
    const key = `repeated ${bytes} ${whenTaken}.bin`;
    const older = await local('older.bin', bytes);
    if (whenTaken === 'replace' && what !== 'a part') await outcomeOf({ path: older.path, key, whenTaken });
    app.storageCalls.reset();
    const { path, content } = await local('repeated.bin', bytes);
    let repeated = 0;
    front.repeats = () => hasSeen(done) && (repeated += 1) === 1;
    // Some storage no longer knows an upload that it has joined, so that the service cannot tell a repeated completion from a wrong one.
    if (what === 'the completion' && whenTaken === 'replace')
      app.storageCalls.spoil = (call) =>
        repeated > 0 && /^(POST|GET) \S+[?&]uploadId=/.test(call) ? 'gone' : undefined;
    expect(await outcomeOf({ path, key, whenTaken })).toBe('stored');
    expect(repeated).toBeGreaterThan(1);
    if (whenTaken === 'refuse')
      expect(app.storageCalls.calls.filter((call) => /^PUT (?!.*partNumber)/.test(call)).length).toBeLessThanOrEqual(1);
    expect((await stored(key)).equals(content)).toBe(true);
  });

  it('sends a file again whose request was cut, although an older object with another content type has the same bytes', async () => {
    const { path, content } = await local('retyped.bin', 10);
    const { url } = await eve.call('transfer/create', { ...files, direction: 'upload', key: 'retyped.bin' });
    await fetch(url, { method: 'PUT', body: new Uint8Array(content), headers: { 'content-type': 'text/x-older' } });
    let cuts = 0;
    front.spoil = (call) => (call.startsWith('PUT ') && (cuts += 1) === 1 ? 'cut' : undefined);
    expect(await outcomeOf({ path, key: 'retyped.bin', whenTaken: 'replace' })).toBe('stored');
    expect(cuts).toBeGreaterThan(1);
    expect(await eve.call('object/head', { ...files, key: 'retyped.bin' })).toMatchObject({
      contentType: 'application/octet-stream',
    });
  });

  it('does not count an object of the same size as stored when its own upload is gone', async () => {
    const key = 'dropped elsewhere.bin';
    const older = await local('older.bin', 20 * MIB);
    await outcomeOf({ path: older.path, key, whenTaken: 'replace' });
    const { path } = await local('dropped.bin', 20 * MIB);
    app.storageCalls.spoil = (call) => (/^(POST|GET) \S+[?&]uploadId=/.test(call) ? 'gone' : undefined);
    expect(await outcomeOf({ path, key, whenTaken: 'replace' })).toBe('not_found');
    expect((await stored(key)).equals(older.content)).toBe(true);
  });

  it.each(['refuse', 'replace'] as const)(
    'does not count what somebody else has written as stored, although it has the same size and its own upload was dropped (%s)',
    async (whenTaken) => {
      const key = `theirs ${whenTaken}.bin`;
      const theirs = await local('theirs.bin', 20 * MIB);
      const { path } = await local('ours.bin', 20 * MIB);
      const { url } = await eve.call('object/presign', { ...files, key, method: 'PUT', expiresIn: 60 });
      let id = '';
      let looks = 0;
      app.storageCalls.before = async (call) => {
        id = /partNumber=3&uploadId=([^&]+)/.exec(call)?.[1] ?? id;
        // The client has looked at the object, and the join begins.
        if (id === '' || !/^(HEAD|POST) \S+theirs/.test(call) || (looks += 1) !== 2) return;
        await fetch(url, { method: 'PUT', body: new Uint8Array(theirs.content) });
        await eve.call('upload/abort', { ...files, key, id });
      };
      app.storageCalls.spoil = (call) => (looks > 1 && /^(POST|GET) \S+[?&]uploadId=/.test(call) ? 'gone' : undefined);
      expect(await outcomeOf({ path, key, whenTaken })).toBe(
        whenTaken === 'refuse' ? 'precondition_failed' : 'not_found',
      );
      expect((await stored(key)).equals(theirs.content)).toBe(true);
    },
  );

  it('goes on after a kill with the parts that are missing', async () => {
    const { path, content } = await local('killed.bin', 20 * MIB);
    app.storageCalls.spoil = (call) => (/partNumber=2/.test(call) ? 'hold' : undefined);
    const { kill } = await client.upload({ path, key: 'killed.bin', whenTaken: 'refuse' });
    while (!hasSeen(/partNumber=2/)) await new Promise((resolve) => setTimeout(resolve, 20));
    await kill();
    Object.assign(app.storageCalls, { spoil: undefined, before: undefined });
    app.storageCalls.reset();
    expect(await outcomeOf({ path, key: 'killed.bin', whenTaken: 'refuse' })).toBe('stored');
    expect(partsSent()).toEqual([2, 3]);
    expect((await stored('killed.bin')).equals(content)).toBe(true);
  });

  it('ends when the file changes meanwhile, and leaves no part in storage', async () => {
    const { path } = await local('changing.bin', 20 * MIB);
    app.storageCalls.before = async (call) => {
      if (!/partNumber=1/.test(call)) return;
      await writeFile(path, 'shorter');
      await utimes(path, new Date(), new Date(Date.now() + 5_000));
    };
    expect(await outcomeOf({ path, key: 'changing.bin', whenTaken: 'refuse' })).toBe('file_changed');
  });

  it('leaves no part in storage when it is refused for good', async () => {
    const { path } = await local('refused.bin', 20 * MIB);
    app.storageCalls.spoil = (call) => (/^(POST|GET) \S+[?&]uploadId=/.test(call) ? 'gone' : undefined);
    expect(await outcomeOf({ path, key: 'refused.bin', whenTaken: 'refuse' })).toBe('not_found');
  });
}
