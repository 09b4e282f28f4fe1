import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpTarget } from '../../src/audit/sink/http-target.ts';
import type { HttpTargetOptions } from '../../src/audit/sink/sink-options.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { Collector } from './support/collector.ts';

const LINES = { instance: 'one', first: 1, last: 1 };
const targetBehind = (proxy: HttpTargetOptions['proxy']) =>
  new HttpTarget(
    { type: 'http', url, headers: {}, tls: { ca: undefined, cert: undefined, key: undefined }, proxy },
    60_000,
  );
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
});
