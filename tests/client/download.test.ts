import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Connection } from '../../src/client/connection.ts';
import { downloadObject, downloadTo, partPath } from '../../src/client/download.ts';

const OBJECT = { provider: 'main', bucket: 'files', key: 'numbers' };
const KNOWN = { size: 10, etag: 'v1' };

let home: string;
/** A service whose downloads are answered by the test. */
const server = createServer((req, res) => {
  res.setHeader('content-disposition', 'inline');
  server.emit('download', req, res);
});
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const asked = async () => (await once(server, 'download')) as [IncomingMessage, ServerResponse];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-download-'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(home, { recursive: true });
});

/** A download, and a promise for the first bytes that it has written. */
function download(path: string, signal?: AbortSignal) {
  const { promise: written, resolve } = Promise.withResolvers<undefined>();
  const done = downloadObject(
    new Connection(address(), 'x'),
    OBJECT,
    KNOWN,
    path,
    (bytes, wasThere) => {
      if (bytes > 0 && wasThere !== true) resolve(undefined);
    },
    signal,
  );
  return { written, done };
}

it('leaves a file whole that another run has finished in the meantime, also when it ends early', async () => {
  const path = join(home, 'numbers');
  const firstAsked = asked();
  const first = download(path);
  const [, firstAnswer] = await firstAsked;
  firstAnswer.writeHead(200, { etag: '"v1"' }).write('0123');
  await first.written;
  const stop = new AbortController();
  const secondAsked = asked();
  const second = download(path, stop.signal);
  const [
    {
      headers: { range },
    },
    secondAnswer,
  ] = await secondAsked;
  expect(range).toBe('bytes=4-');
  firstAnswer.end('456789');
  await first.done;
  secondAnswer.writeHead(206, { etag: '"v1"', 'content-range': 'bytes 4-9/10' }).write('4');
  await second.written;
  stop.abort();
  await expect(second.done).rejects.toThrow();
  expect(await readFile(path, 'utf8')).toBe('0123456789');
});

it('says that another run has taken the file, when both end', async () => {
  const path = join(home, 'taken');
  const firstAsked = asked();
  const first = download(path);
  const [, firstAnswer] = await firstAsked;
  firstAnswer.writeHead(200, { etag: '"v1"' }).write('0123');
  await first.written;
  const secondAsked = asked();
  const second = download(path);
  const [, secondAnswer] = await secondAsked;
  firstAnswer.end('456789');
  await first.done;
  secondAnswer.writeHead(206, { etag: '"v1"', 'content-range': 'bytes 4-9/10' }).end('456789');
  await expect(second.done).rejects.toThrow(/^another run that copies to `.*taken` has taken what this one received; /);
  expect(await readFile(path, 'utf8')).toBe('0123456789');
});

it.each(['bytes 0-5/10', 'bytes 5-10/11', ''])(
  'puts nothing behind what it has but the range that it asked for: `%s`',
  async (range) => {
    const path = join(home, 'ranged');
    const part = partPath(path, OBJECT, KNOWN.etag);
    await writeFile(part, '0123');
    const answer = asked();
    const { done } = download(path);
    (await answer)[1].writeHead(206, { etag: '"v1"', ...(range !== '' && { 'content-range': range }) }).end('012345');
    await expect(done).rejects.toThrow(/^the service did not answer with the range that it was asked for/);
    expect(await readFile(part, 'utf8')).toBe('0123');
  },
);

it.each([
  [302, /redirects to https:\/\/login\.example\//],
  [204, /answered 204 and not as svc does/],
  [206, /answered 206 and not as svc does/],
])('takes no answer %d of something in between for the object', async (status, said) => {
  const answer = asked();
  const done = downloadTo(new Connection(address(), 'x'), OBJECT, new PassThrough());
  (await answer)[1].writeHead(status, { location: 'https://login.example/' }).end();
  await expect(done).rejects.toThrow(said);
});

it('fails alone when the object was changed and its content comes at once', async () => {
  const answering = asked();
  const { done } = download(join(home, 'changed'), AbortSignal.timeout(500));
  (await answering)[1].writeHead(200, { etag: '"v2"' }).end('new');
  await expect(done).rejects.toThrow();
});
