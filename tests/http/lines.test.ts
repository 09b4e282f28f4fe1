import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Call } from '../../src/http/routing/call.ts';
import { sendLines } from '../../src/http/routing/lines.ts';
import type { Lines } from '../../src/operation/operation.ts';

it('an answer in lines writes the lines of a page as fast as the client reads them', async () => {
  const COUNT = 10_000;
  const key = '\u0001'.repeat(1_000);
  let written = 0;
  const object = {
    get key() {
      written += 1;
      return key;
    },
    size: 1,
    etag: '"x"',
    lastModified: '2025-01-01T00:00:00.000Z',
  };
  async function* pages(): Lines<'object/search'> {
    yield await Promise.resolve(Array.from({ length: COUNT }, () => ({ object })));
    yield [{ done: true }];
  }
  const server = http.createServer((req, res) => {
    const call = new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] });
    void sendLines(call, 'object/search', pages());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const answer = Promise.withResolvers<http.IncomingMessage>();
    http.get({ port: (server.address() as AddressInfo).port }, answer.resolve);
    const response = await answer.promise;
    await wait(300);
    expect(written).toBeLessThan(COUNT / 2);
    const lines = (await text(response)).trimEnd().split('\n');
    const { size, etag, lastModified } = object;
    expect([lines.length, written, JSON.parse(lines[COUNT - 1]!), lines.at(-1)]).toEqual([
      COUNT + 1,
      COUNT,
      { object: { key, size, etag, last_modified: lastModified } },
      '{"done":true}',
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
