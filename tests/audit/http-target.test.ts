import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpTarget } from '../../src/audit/sink/http-target.ts';
import type { HttpTargetOptions } from '../../src/audit/sink/sink-options.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { Collector } from './support/collector.ts';

const SECRET = 'a secret of the pipeline, 32 bytes or more';
const NO_TLS = { ca: undefined, cert: undefined, key: undefined };
const LINES = { instance: 'one', first: 1, last: 1 };
const targetBehind = (proxy: HttpTargetOptions['proxy'], timeoutMs = 60_000) =>
  new HttpTarget({ type: 'http', url, headers: {}, tls: NO_TLS, proxy }, timeoutMs);
const send = (target: HttpTarget) => target.send([Buffer.from('{"seq":1}')], LINES);

let collector: Collector;
let url: string;
let target: HttpTarget;
beforeEach(async () => {
  collector = new Collector();
  url = await collector.listen();
  target = targetBehind(undefined);
});
afterEach(async () => {
  await target.close();
  await collector.close();
});

describe('HttpTarget.send', () => {
  it.each([
    ['no pause', undefined, undefined],
    ['a pause in seconds', '7', 7_000],
    ['a pause until a time that is over', 'Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['a pause of a day: ten minutes at most', '86400', 600_000],
    ['a pause until a time that is far away: ten minutes at most', 'Fri, 01 Jan 2100 00:00:00 GMT', 600_000],
    ['what is no time', 'soon', undefined],
  ])('tells of a receiver that asks for %s', async (_what, retryAfter, retryAfterMs) => {
    collector.always = (res) =>
      void res.writeHead(503, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
    await expect(send(target)).rejects.toMatchObject({ status: 503, retryAfterMs });
  });

  it('signs the time and the body, so that a receiver knows who sent them', async () => {
    const signing = new HttpTarget(
      { type: 'http', url, headers: {}, signingSecret: SECRET, tls: NO_TLS, proxy: undefined },
      60_000,
    );
    await send(signing);
    await signing.close();
    await send(target);
    const [signed, unsigned] = collector.taken;
    const [, time = '', hmac] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(signed?.headers['svc-audit-signature'])) ?? [];
    expect(hmac).toBe(createHmac('sha256', SECRET).update(`${time}.{"seq":1}\n`).digest('hex'));
    expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60);
    expect(unsigned?.headers).not.toHaveProperty('svc-audit-signature');
  });

  it('makes a connection for each batch', async () => {
    const ports = new Set<number | undefined>();
    collector.always = (res) => {
      ports.add(res.socket?.remotePort);
      res.writeHead(204).end();
    };
    for (let i = 0; i < 3; i += 1) await send(target);
    expect(ports.size).toBe(3);
  });

  it('goes through a proxy, unless its host is excepted', async () => {
    const proxy = await startForwardProxy();
    for (const [except, passed] of [
      ['127.0.0.1', 0],
      ['', 1],
    ] as const) {
      const behind = targetBehind({ http: proxy.url, https: undefined, except });
      await send(behind);
      expect([except, proxy.passed.length]).toEqual([except, passed]);
      await behind.close();
    }
    expect(collector.taken).toHaveLength(2);
    await proxy.close();
  });

  it('keeps no connection to a proxy that does not answer', async () => {
    let tried = 0;
    const mute = createServer((socket) => {
      tried += 1;
      socket.resume().on('error', () => undefined);
    });
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const proxy = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const behind = targetBehind({ http: proxy, https: undefined, except: '' }, 1_000);
    const connections = () => promisify(mute.getConnections.bind(mute))();
    await expect(send(behind)).rejects.toThrow();
    expect(tried).toBe(1);
    const soon = AbortSignal.timeout(60_000);
    while ((await connections()) > 0) await setTimeout(50, undefined, { signal: soon });
    await behind.close();
    mute.close();
  });
});
