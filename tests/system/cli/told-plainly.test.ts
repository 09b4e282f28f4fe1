import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RememberedUploads } from '../../../src/client/remembered-uploads.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;
let session: string;

beforeAll(async () => {
  app = await startApp();
  session = (await signInDesktop(app, 'eve')).access_token;
});
afterAll(() => app.close());
beforeEach(async () => {
  machine = await Machine.make();
  Object.assign(machine.env, { SVC_SERVER: app.origin, SVC_CREDENTIAL: session });
});
afterEach(() => machine.remove());

const at = (...parts: string[]) => join(machine.home, ...parts);
const DAY_MS = 86_400_000;

describe('svc ls', () => {
  it('ends with 1 where nothing is, and with 0 for an empty bucket', async () => {
    expect(await machine.svc('ls', 'main/files/nothing-there')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('main/files/nothing-there'),
    });
    expect(await machine.svc('ls', '-r', '--json', 'main/files/nothing-there')).toMatchObject({
      status: 1,
      stdout: '[]\n',
      stderr: expect.stringContaining('"not_found"'),
    });
    expect(await machine.svc('ls', 'main/photos')).toMatchObject({ status: 0, stdout: '' });
  });
});

describe('a remote path that is not one', () => {
  it.each([
    [['ls', '/main'], '`/main` begins with a slash; write `PROVIDER/BUCKET/KEY` without one\n'],
    [['ls', ''], 'the path is empty; write `PROVIDER/BUCKET/KEY`\n'],
    [['du', 'main'], '`main` names a provider and no bucket; write `PROVIDER/BUCKET` or `PROVIDER/BUCKET/KEY`\n'],
    [['presign', 'main'], '`main` names a provider and no bucket; write `PROVIDER/BUCKET/KEY`\n'],
  ])('is told with what to write: svc %j', async (args, stderr) => {
    expect(await machine.svc(...args)).toEqual({ status: 2, stdout: '', stderr });
  });
});

describe('svc mb', () => {
  it('says once what to do where the bucket is there already', async () => {
    const ada = (await signInDesktop(app, 'ada')).access_token;
    expect(await machine.svc('mb', '--credential', ada, 'main/photos')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'the bucket exists already: the bucket `photos` exists already; choose another name\n',
    });
  });
});

describe('svc rm --dry-run', () => {
  it('prints a line for each name, whatever is in it, also into a pipe; --json has the names', async () => {
    const keys = ['dry/a\u001b[2Jb', 'dry/c\nd'];
    plantKeys(app.s3.server.store, 'files', keys);
    expect((await machine.svc('rm', '-rn', 'main/files/dry')).stdout).toBe(
      'main/files/dry/a\\u{1b}[2Jb\nmain/files/dry/c\\u{a}d\n',
    );
    expect(JSON.parse((await machine.svc('rm', '-rn', '--json', 'main/files/dry')).stdout)).toMatchObject({
      deleted: keys.map((key) => `main/files/${key}`),
    });
    expect((await machine.svc('ls', 'main/files/dry/')).stdout).toBe(`${keys.join('\n')}\n`);
  });
});

describe('svc cp --resume', () => {
  it('sends what differs although its size is the same, up and down', async () => {
    await mkdir(at('set'));
    for (const name of ['same', 'other']) await writeFile(at('set', name), name.padEnd(5));
    await machine.svc('cp', '-r', 'set', 'svc:main/files/set');
    await writeFile(at('set/other'), 'OTHER');
    const old = new Date(Date.now() - DAY_MS);
    await utimes(at('set/other'), old, old);
    await utimes(at('set/same'), new Date(), new Date());
    const up = await machine.svc('cp', '-r', '--resume', '--json', 'set', 'svc:main/files/set');
    expect(JSON.parse(up.stdout)).toMatchObject({ copied: 1, skipped: 1, guessed: 0 });
    expect((await machine.svc('cp', 'svc:main/files/set/other', '-')).stdout).toBe('OTHER');
    await writeFile(at('set/same'), 'SAME!');
    const down = await machine.svc('cp', '-r', '--resume', '--json', 'svc:main/files/set', 'set');
    expect(JSON.parse(down.stdout)).toMatchObject({ copied: 1, skipped: 1, guessed: 0 });
  });

  it('compares a file that was sent in parts by the checksums of its parts', async () => {
    await writeFile(at('large'), Buffer.alloc(17 * 2 ** 20, 'svc'));
    await machine.svc('cp', 'large', 'svc:main/files/large');
    const again = () =>
      machine
        .svc('cp', '--resume', '--json', 'large', 'svc:main/files/large')
        .then(({ stdout }) => JSON.parse(stdout) as object);
    expect(await again()).toMatchObject({ copied: 0, skipped: 1, guessed: 0 });
    const changed = Buffer.alloc(17 * 2 ** 20, 'svc');
    changed[5] = 0;
    await writeFile(at('large'), changed);
    expect(await again()).toMatchObject({ copied: 1, skipped: 0 });
  });

  it('goes by size and time where storage has no checksum, and says so', async () => {
    const stub = await startServer((url, body) => {
      if (url !== '/rpc') return {};
      const { method } = JSON.parse(body) as { method: string };
      const object = { key: 'f/a', size: 5, etag: '"not a checksum"', lastModified: new Date().toISOString() };
      return { result: method === 'object/list' ? { objects: [object], prefixes: [], nextCursor: null } : object };
    });
    await mkdir(at('f'));
    await writeFile(at('f/a'), 'other');
    const old = new Date(Date.now() - DAY_MS);
    await utimes(at('f/a'), old, old);
    const copied = await machine.svc('cp', '-r', '--resume', '--server', stub.url, 'f', 'svc:main/files/f');
    await stub.close();
    expect(copied).toMatchObject({ status: 0, stdout: 'copied 0 files, 1 left out (1 by size and time alone)\n' });
  });
});

describe('svc uploads --drop', () => {
  it('goes on after one that cannot be dropped, names it, and keeps it', async () => {
    const remembered = new RememberedUploads(machine.env, app.origin);
    for (const provider of ['gone', 'main']) {
      await remembered.remember(
        { name: at(provider), size: 1, lastModified: 1, contentType: 'x/y' },
        { provider, bucket: 'files', key: 'k' },
        { uploadId: 'any', partBytes: 1 },
      );
      // The oldest is dropped first, and this one is older by a millisecond at least.
      await wait(5);
    }
    const dropped = await machine.svc('uploads', '--drop');
    expect(dropped).toMatchObject({
      status: 1,
      stdout: 'dropped 1 upload\n',
      stderr: expect.stringContaining(`${at('gone')}: `),
    });
    expect(JSON.parse((await machine.svc('uploads', '--json')).stdout)).toEqual([
      expect.objectContaining({ target: 'gone/files/k' }),
    ]);
  });
});

describe('a 413 that is not ours', () => {
  it('is told as the limit of a proxy', async () => {
    const proxy = await startServer((url) =>
      url === '/rpc' ? { result: { url: `${proxy.url}/v1/transfers/x`, method: 'PUT', expiresAt: '' } } : undefined,
    );
    await writeFile(at('a'), 'a');
    const { status, stderr } = await machine.svc('cp', '--server', proxy.url, 'a', 'svc:main/files/a');
    await proxy.close();
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/proxy.*`client_max_body_size`/),
    });
  });
});

describe('svc mv', () => {
  it('says where both are when it could copy and not delete', async () => {
    await appendFile(at('a'), 'a');
    await machine.svc('cp', 'a', 'svc:main/files/mv/a');
    app.storageCalls.spoil = (call) => (call.startsWith('DELETE') ? 'busy' : undefined);
    const moved = await machine.svc('mv', 'main/files/mv/a', 'main/files/mv/b');
    app.storageCalls.spoil = undefined;
    expect(moved).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/`main\/files\/mv\/b` now, and could not be deleted at `main\/files\/mv\/a`/),
    });
  });
});

type Answer = (url: string, body: string) => { readonly result?: unknown } | undefined;

/** Answers JSON-RPC, and 413 as nginx does where there is no answer. */
async function startServer(answer: Answer): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const said = answer(req.url ?? '', Buffer.concat(chunks).toString());
      if (said === undefined)
        res
          .writeHead(413, { 'content-type': 'text/html' })
          .end('<html><head><title>413 Request Entity Too Large</title></head></html>');
      else
        res
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...said }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
