import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http, { type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { cutOff } from '../../src/bounds/send-body.ts';
import { listen } from '../../src/http/server.ts';
import { RunningDownload } from '../support/running-transfer.ts';

const MIB = 2 ** 20;
/** Longer than a test may take. */
const NEVER_MS = 600_000;

async function serve(app: RequestListener, silenceMs?: number) {
  const running = await listen(app, { host: '127.0.0.1', port: 0, ...(silenceMs === undefined ? {} : { silenceMs }) });
  return {
    port: running.port,
    server: running.server,
    url: `http://127.0.0.1:${running.port}/`,
    stop: (graceMs: number) => running.stop(graceMs),
  };
}

async function ask(
  url: string,
  agent: http.Agent,
): Promise<{ readonly connection: string | undefined; readonly reused: boolean }> {
  const req = http.get(url, { agent });
  const [answer] = (await once(req, 'response')) as [http.IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return { connection: answer.headers.connection, reused: req.reusedSocket };
}

describe('stop', () => {
  it('lets an answer that was written reach a slow reader', async () => {
    const { url, stop } = await serve((_req, res) => void res.end(Buffer.alloc(32 * MIB)));
    const running = await RunningDownload.start(url, { agent: new http.Agent({ keepAlive: true }) });
    const stopped = stop(NEVER_MS);
    expect(await running.endWithin(500)).toBe('whole');
    await stopped;
  });

  it('lets a request that is being sent arrive and be answered, and keeps no connection then', async () => {
    const { url, port, stop } = await serve((req, res) => void req.resume().once('end', () => res.end('done')));
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(socket, 'connect');
    socket.write('PUT / HTTP/1.1\r\nHo');
    await wait(100);
    const stopped = stop(NEVER_MS);
    await wait(300);
    socket.write('st: x\r\nContent-Length: 4\r\n\r\nbo');
    await wait(300);
    socket.write('dy');
    await once(socket, 'close');
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*done$/);
    await stopped;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('answers what was sent before it and not read yet, on old connections and on new ones', async () => {
    const { url, stop } = await serve((_req, res) => void res.end('done'));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    await ask(url, agent);
    const sent = join(await mkdtemp(join(tmpdir(), 'svc-sent-')), 'sent');
    const asking = join(import.meta.dirname, '..', 'support', 'asking-process.ts');
    const client = fork(asking, [url, '20', sent], { execArgv: [] });
    await once(client, 'message');
    // Sent while the event loop is busy elsewhere.
    client.send('ask');
    for (const end = performance.now() + 30_000; !existsSync(sent) && performance.now() < end;);
    const stopped = stop(NEVER_MS);
    const [answers] = (await once(client, 'message')) as [string[]];
    expect(answers).toEqual(Array.from({ length: 40 }, () => 'close'));
    await stopped;
    client.kill();
    await rm(dirname(sent), { recursive: true });
  });

  it('closes connections that rest, at once and those that come to rest later', async () => {
    let finish = (): void => undefined;
    const { url, stop } = await serve((req, res) => {
      if (req.url !== '/slow') return void res.end('done');
      res.write('half, ');
      finish = () => res.end('half');
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(url, agent)).toEqual({ connection: 'keep-alive', reused: false });
    expect(await ask(url, agent)).toEqual({ connection: 'keep-alive', reused: true });
    const slow = await RunningDownload.start(`${url}slow`, { agent: new http.Agent({ keepAlive: true }) });
    const stopped = stop(NEVER_MS);
    await wait(300);
    finish();
    expect(await slow.endWithin(0)).toBe('whole');
    await stopped;
  });

  it('closes a connection at once whose request was answered before all of it came', async () => {
    const { port, stop } = await serve((_req, res) => void res.writeHead(401, { 'content-length': 0 }).end());
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'connect');
    socket.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n');
    await wait(200);
    socket.write(Buffer.alloc(200_000));
    await wait(200);
    await stop(NEVER_MS);
  });

  it('cuts off what is not finished when its time is over', async () => {
    const { url, stop } = await serve((_req, res) => void res.write('never whole'));
    const running = await RunningDownload.start(url);
    await stop(500);
    expect(await running.endWithin(0)).toBe('broken off');
  });
});

describe('a silent connection', () => {
  const SILENCE_MS = 200;
  const readAll = async (
    port: number,
    request: string,
    onData: (socket: Socket) => void = () => undefined,
  ): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1', 0, 200);
      onData(socket);
    });
    socket.on('error', () => undefined);
    socket.write(request);
    await once(socket, 'close');
    return said;
  };

  it('is kept as long as a handler works for it: a copy may take storage many times the limit', async () => {
    const { port, stop } = await serve(
      (req, res) => void req.resume().once('end', () => setTimeout(() => res.end('copied'), 8 * SILENCE_MS)),
      SILENCE_MS,
    );
    expect(
      await readAll(port, 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody'),
    ).toMatch(/^HTTP\/1\.1 200 [^]*copied$/);
    await stop(0);
  });

  it('is cut where the client stops in the middle of its request', async () => {
    const { port, stop } = await serve((req) => void req.resume(), SILENCE_MS);
    expect(await readAll(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo')).toBe('');
    await stop(0);
  });

  it('is cut where the client takes no more of the answer', async () => {
    let closed: Promise<boolean> | undefined;
    const { port, stop } = await serve((_req, res) => {
      closed = once(res, 'close').then(() => res.writableFinished);
      res.end(Buffer.alloc(64 * MIB));
    }, SILENCE_MS);
    void readAll(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', (socket) => socket.pause()).catch(() => undefined);
    while (closed === undefined) await wait(10);
    expect(await closed).toBe(false);
    await stop(0);
  });
});

describe('the chunks of streams', () => {
  // It looks from a process of its own, because the setting is one of the whole process.
  it('are collected before there are many of them, and without the rest of the memory', async () => {
    const script = `
      import { PerformanceObserver, constants } from 'node:perf_hooks';
      import { listen } from ${JSON.stringify(new URL('../../src/http/server.ts', import.meta.url).href)};
      const kinds = [];
      new PerformanceObserver((list) => kinds.push(...list.getEntries().map(({ detail }) => detail.kind))).observe({ entryTypes: ['gc'] });
      await (await listen(() => undefined, { host: '127.0.0.1', port: 0 })).stop(0);
      kinds.length = 0;
      for (let i = 0; i < 16_384; i += 1) Buffer.allocUnsafeSlow(65_536);
      const count = (wanted) => kinds.filter((kind) => kind === wanted).length;
      const young = () => count(constants.NODE_PERFORMANCE_GC_MINOR);
      // A busy machine tells of them late.
      for (const end = performance.now() + 5_000; young() <= 10 && performance.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 20));
      console.log(young(), count(constants.NODE_PERFORMANCE_GC_MAJOR));`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const [young = 0, whole = 0] = stdout.split(' ').map(Number);
    // 1 GiB of them, collected every 32 MiB. Without the setting there are no young collections, and 9 to 15 of the whole heap.
    expect(young).toBeGreaterThan(10);
    expect(whole).toBeLessThan(young);
    expect(stderr).toBe('');
  });
});

describe('many requests at once on one connection', () => {
  const requests = (paths: readonly string[]) =>
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');

  it('are served one after the other, so that an answer that nobody reads holds back the next request', async () => {
    const begun: string[] = [];
    const { port, stop } = await serve((req, res) => {
      begun.push(req.url!);
      res.end(Buffer.alloc(req.url === '/large' ? 16 * MIB : 1, '.'));
    });
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(requests(['/large', '/a', '/b']));
    for (let waited = 0; begun.length === 0 && waited < 100; waited += 1) await wait(20);
    await wait(300);
    expect(begun).toEqual(['/large']);
    let heads = '';
    const answers = () => heads.split('HTTP11 200').length - 1;
    socket.on('data', (chunk: Buffer) => (heads += chunk.toString('latin1').replaceAll(/[./]/g, ''))).resume();
    for (let waited = 0; answers() < 3 && waited < 100; waited += 1) await wait(20);
    expect([answers(), begun]).toEqual([3, ['/large', '/a', '/b']]);
    socket.destroy();
    await stop(0);
  });

  it('end the connection when they are more than 64', async () => {
    const begun: string[] = [];
    const { port, stop } = await serve((req) => void begun.push(req.url!));
    const sent = (count: number) => {
      const socket = connect(port, '127.0.0.1').resume();
      socket.on('error', () => undefined).write(requests(Array.from({ length: count }, (_, i) => `/${count}-${i}`)));
      return socket;
    };
    const kept = sent(64);
    for (let waited = 0; begun.length === 0 && waited < 100; waited += 1) await wait(20);
    await once(sent(65), 'close');
    expect(kept.destroyed).toBe(false);
    kept.destroy();
    expect(begun).toEqual(['/64-0', '/65-0']);
    await stop(0);
  });

  it('end the connection when they have more than 1,024 headers', async () => {
    const { port, stop } = await serve(() => undefined);
    const headers = Array.from({ length: 500 }, (_, i) => `h${i}: x\r\n`).join('');
    const sent = (count: number) => {
      const socket = connect(port, '127.0.0.1').resume();
      const request = `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
      socket.on('error', () => undefined).write(requests(['/']) + request.repeat(count));
      return socket;
    };
    const kept = sent(2);
    const ended = sent(3);
    for (let waited = 0; !ended.destroyed && waited < 100; waited += 1) await wait(20);
    expect([kept.destroyed, ended.destroyed]).toEqual([false, true]);
    kept.destroy();
    ended.destroy();
    await stop(0);
  });

  it('are read only as far as they can be served, and all are served in the end', async () => {
    const [SMALL, LARGE, BYTES] = [20, 20, 250_000];
    let begun = 0;
    const served: number[] = [];
    const released = new Map([1, SMALL + 1].map((at) => [at, Promise.withResolvers<undefined>()]));
    const { port, stop, server } = await serve((req, res) => {
      begun += 1;
      void Promise.resolve(released.get(begun)?.promise)
        .then(() => req.toArray())
        .then((pieces) => {
          served.push(Buffer.concat(pieces as Buffer[]).length);
          res.end('.');
        });
    });
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(port, '127.0.0.1').resume();
    const sizes = [...Array.from({ length: SMALL }, () => 1), ...Array.from({ length: LARGE }, () => BYTES)];
    for (const size of sizes)
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'.'.repeat(size)}`);
    const [taken] = await connected;
    for (const [at, { resolve }] of released) {
      for (let waited = 0; begun < at && waited < 100; waited += 1) await wait(20);
      await wait(300);
      expect([begun, taken.bytesRead < 3 * BYTES]).toEqual([at, true]);
      resolve(undefined);
    }
    for (let waited = 0; served.length < sizes.length && waited < 500; waited += 1) await wait(20);
    expect(served).toEqual(sizes);
    socket.destroy();
    await stop(0);
  });

  it.each([
    ['have no Host', '', 400],
    ['expect something unknown', 'Host: x\r\nExpect: tea\r\n', 417],
  ])('are refused one after the other when they %s', async (_name, headers, status) => {
    let end = (): void => undefined;
    const { port, stop } = await serve((_req, res) => (end = () => res.end('served')));
    const send = (count: number) => {
      const socket = connect(port, '127.0.0.1');
      const sent = { socket, said: '' };
      socket.on('data', (chunk: Buffer) => (sent.said += chunk.toString())).on('error', () => undefined);
      socket.write(requests(['/held']) + `GET /refused HTTP/1.1\r\n${headers}\r\n`.repeat(count));
      return sent;
    };
    const many = send(20_000);
    for (let waited = 0; !many.socket.destroyed && waited < 100; waited += 1) await wait(20);
    expect([many.said, many.socket.destroyed]).toEqual(['', true]);
    const few = send(63);
    await wait(300);
    expect([few.said, few.socket.destroyed]).toEqual(['', false]);
    end();
    for (let waited = 0; !few.said.includes(` ${status} `) && waited < 100; waited += 1) await wait(20);
    expect(few.said).toMatch(new RegExp(`^HTTP/1.1 200 OK\r\n[^]*\r\n\r\nservedHTTP/1.1 ${status} `));
    few.socket.destroy();
    await stop(0);
  });

  it.each([
    ['no request', 'garbage\r\n\r\n', 400],
    ['a request with long headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a body in broken chunks', 'PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
  ])('are answered before the refusal of what comes behind them: %s', async (_name, refused, status) => {
    let end = (): void => undefined;
    const { port, stop } = await serve(({ url }, res) => {
      if (url === '/a') end = () => res.end(url);
      if (url === '/b') res.end(url);
    });
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString())).on('error', () => undefined);
    socket.write(requests(['/a', '/b']) + refused);
    await wait(300);
    expect([said, socket.destroyed]).toEqual(['', false]);
    end();
    while (!socket.destroyed) await wait(20);
    expect(said.replaceAll(/\r\n[^]*?\r\n\r\n/g, ' ').replaceAll('HTTP/1.1 ', '|')).toMatch(
      new RegExp(`^\\|200 OK /a\\|200 OK /b\\|${status} [\\w ]+$`),
    );
    await stop(0);
  });

  it.each(['end', 'resetAndDestroy'] as const)(
    'hold nothing after the answer during which their client left, though nothing was read meanwhile: %s',
    async (leave) => {
      let end = (): void => undefined;
      const open = new Set<string>();
      const { port, stop, server } = await serve((req, res) => {
        open.add(req.url!);
        res.once('close', () => open.delete(req.url!));
        if (req.url === '/a') end = () => res.end('.');
      });
      const connected = once(server, 'connection') as Promise<[Socket]>;
      const socket = connect(port, '127.0.0.1').resume();
      const body = 'PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 250000\r\n\r\n'.padEnd(100_000, '.');
      socket.write(requests(['/a']) + body);
      const [taken] = await connected;
      while (open.size === 0) await wait(20);
      socket[leave]();
      await wait(300);
      expect([[...open], taken.destroyed]).toEqual([['/a'], false]);
      end();
      for (let waited = 0; (!taken.destroyed || open.size > 0) && waited < 100; waited += 1) await wait(20);
      expect([[...open], taken.destroyed]).toEqual([[], true]);
      await stop(0);
    },
  );

  it.each([
    ['within the last of them', 'GET /b HTTP/1.1\r\nHo'],
    ['behind what is no request', 'garbage\r\n\r\n'],
    ['behind what follows a last one', 'GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nmore'],
  ])('end when their client leaves %s', async (_name, rest) => {
    const { port, stop } = await serve((_req, res) => void res.once('close', () => closed.resolve(undefined)));
    const closed = Promise.withResolvers<undefined>();
    const socket = connect(port, '127.0.0.1');
    socket.end(requests(['/a']) + rest);
    await closed.promise;
    socket.destroy();
    await stop(0);
  });

  it.each(['\r\n', 'Content-Length: 4\r\n\r\nbody'])(
    'are not served after an answer that ends the connection: %j',
    async (rest) => {
      const begun: string[] = [];
      const { port, stop } = await serve((req, res) => {
        begun.push(req.url!);
        res.setHeader('Connection', 'close').end('last');
      });
      const socket = connect(port, '127.0.0.1').resume();
      socket.write(`PUT /a HTTP/1.1\r\nHost: x\r\n${rest}${requests(['/b', '/c'])}`);
      await once(socket, 'close');
      expect(begun).toEqual(['/a']);
      await stop(0);
    },
  );
});

describe('the headers Host and Expect', () => {
  it.each([
    ['GET / HTTP/1.1\r\n\r\n', '400 close'],
    ['GET http://x/ HTTP/1.1\r\n\r\n', '400 close'],
    ['GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', '400 close'],
    ['PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody', '400 close'],
    ['PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n', '400 close'],
    ['PUT / HTTP/1.1\r\nExpect: tea\r\nContent-Length: 4\r\n\r\n', '400 close'],
    ['GET / HTTP/1.1\r\nHost:\r\n\r\n', '200 keep-alive'],
    ['GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', '400 close'],
    ['GET / HTTP/1.1\r\nHost: x\r\nA: b\r\nhOST: x\r\n\r\n', '400 close'],
    ['GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n', '400 close'],
    ['GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', '400 close'],
    ['GET /ws HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', '400 close'],
    ['GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', '101 Upgrade'],
    ['GET / HTTP/1.0\r\nHost: x\r\n\r\n', '200 close'],
    ['GET / HTTP/1.0\r\n\r\n', '200 close'],
    ['GET / HTTP/1.0\r\nExpect: tea\r\n\r\n', '200 close'],
    ['GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', '417 keep-alive'],
    ['GET / HTTP/1.1\r\nHost: x\r\nExpect:\r\n\r\n', '417 keep-alive'],
    ['PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue, tea\r\nContent-Length: 4\r\n\r\n', '417 close'],
    ['PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\nbody', '100 200 keep-alive'],
  ])('%j is answered with %s', async (request, expected) => {
    const running = await listen((req, res) => void req.resume().once('end', () => res.end('served')), {
      host: '127.0.0.1',
      port: 0,
      shouldUpgrade: ({ url }) => url === '/ws',
      onUpgrade: (_req, stream) => void stream.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n'),
    });
    const socket = connect(running.port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString())).write(request);
    const answered = () =>
      [...said.matchAll(/^HTTP\/1\.1 (\d+)|^Connection: (.*)\r$/gm)].map(([, a, b]) => a ?? b).sort();
    for (let waited = 0; answered().join(' ') !== expected && waited < 100; waited += 1) await wait(20);
    expect(answered().join(' ')).toBe(expected);
    socket.destroy();
    await running.stop(0);
  });
});

it('a connection that breaks off while its upgrade waits for the service to start does not end the process', async () => {
  const upgraded = Promise.withResolvers<Duplex>();
  const running = await listen(() => undefined, {
    host: '127.0.0.1',
    port: 0,
    shouldUpgrade: () => true,
    onUpgrade: (_req, stream) => upgraded.resolve(stream),
  });
  const socket = connect(running.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const stream = await upgraded.promise;
  // `once` would listen to the error.
  const closed = new Promise((resolve) => void stream.on('close', resolve));
  socket.resetAndDestroy();
  await closed;
  expect(stream.errored).toMatchObject({ code: 'ECONNRESET' });
  await running.stop(0);
});

it.each(['1.0', '1.1'])(
  'an answer without a length that is cut off does not look like a whole one to a client of HTTP/%s',
  async (version) => {
    const { port, stop } = await serve((_req, res) => {
      res.write('half of it');
      setTimeout(() => cutOff(res), 50);
    });
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.write(`GET / HTTP/${version}\r\nHost: x\r\n\r\n`);
    const ended = await new Promise((resolve) => {
      socket.on('end', () => resolve('end')).on('error', resolve);
    });
    expect(said).toContain('half of it');
    if (version === '1.0') expect(ended).toMatchObject({ code: 'ECONNRESET' });
    else expect([ended, said.includes('\r\n0\r\n')]).toEqual(['end', false]);
    socket.destroy();
    await stop(0);
  },
);
