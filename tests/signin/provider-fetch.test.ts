import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROVIDER_LIMITS, ProviderFetch } from '../../src/signin/provider-fetch.ts';

let provider: Server;
let answer: (res: ServerResponse) => void;
let http: ProviderFetch;
let url: string;

beforeAll(async () => {
  provider = createServer((_req, res) => answer(res)).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
  http = new ProviderFetch(PROVIDER_LIMITS);
});
afterAll(async () => {
  await http.close();
  provider.closeAllConnections();
  provider.close();
});

describe('ProviderFetch.fetch', () => {
  it.each([204, 205])('gives an answer with status %d, which has no body', async (status) => {
    answer = (res) => void res.writeHead(status).end();
    const response = await http.fetch(url, { method: 'GET', headers: {} });
    expect([response.status, response.body]).toEqual([status, null]);
  });
});

describe('ProviderFetch.redirect', () => {
  it('ends the connection without waiting for the end of the body', async () => {
    const ended = Promise.withResolvers<undefined>();
    answer = (res) => {
      const more = setInterval(() => void res.write('x'.repeat(10_000)), 10);
      res.once('close', () => {
        clearInterval(more);
        ended.resolve(undefined);
      });
      res.writeHead(302, { location: 'https://elsewhere.example/' }).write('x');
    };
    const since = performance.now();
    expect(await http.redirect(url)).toEqual({ status: 302, location: 'https://elsewhere.example/' });
    await ended.promise;
    expect(performance.now() - since).toBeLessThan(PROVIDER_LIMITS.totalMs * 0.9);
  });
});
