import { once } from 'node:events';
import http from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Call } from '../../src/http/routing/call.ts';
import { send } from '../../src/http/routing/send.ts';

let server: http.Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Serves one request by `handle`. @returns what `handle` gave, or the error that it threw. */
async function served<T>(handle: (call: Call) => Promise<T>, leave = false): Promise<T | Error> {
  const outcome = Promise.withResolvers<T | Error>();
  server = http.createServer(
    (req, res) =>
      void handle(new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] }))
        .catch((error: unknown) => error as Error)
        .then(outcome.resolve),
  );
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const asked = http.get(
    { port: (server.address() as AddressInfo).port },
    (answer) => void text(answer).catch(() => undefined),
  );
  asked.on('error', () => undefined);
  if (leave) server.once('request', () => asked.destroy());
  return outcome.promise;
}

describe('a stream', () => {
  it('that broke off before it was sent fails at once, while the client can still be told', async () => {
    const stream = new Readable({ read: () => undefined }).on('error', () => undefined);
    stream.destroy(new Error('broken'));
    await new Promise((resolve) => stream.once('close', resolve));
    let isBegun: boolean | undefined;
    const outcome = await served((call) =>
      send(call, { status: 200, headers: {}, stream }).finally(
        () => (isBegun = call.res.destroyed || call.res.headersSent),
      ),
    );
    expect([outcome, isBegun]).toEqual([new Error('broken'), false]);
  });

  it('is dropped when the client has left before', async () => {
    const stream = Readable.from(['x']);
    const outcome = await served(async (call) => {
      await new Promise((resolve) => call.res.once('close', resolve));
      return send(call, { status: 200, headers: {}, stream });
    }, true);
    expect([outcome, stream.destroyed]).toEqual([false, true]);
  });
});

describe('an answer behind another one on its connection', () => {
  it('ends only when it can be sent, so that it counts for its person until then', async () => {
    const sent: string[] = [];
    const first = Promise.withResolvers<http.ServerResponse>();
    const second = Promise.withResolvers<readonly [Promise<unknown>]>();
    server = http.createServer((req, res) => {
      if (req.url === '/first') {
        first.resolve(res);
        return;
      }
      const call = new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] });
      second.resolve([send(call, { status: 200, json: {} }).then(() => sent.push('second'))]);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    socket.write(['/first', '/second'].map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
    const [answer, sending] = await Promise.all([first.promise, second.promise]);
    await wait(50);
    sent.push('first');
    answer.end();
    await sending[0];
    expect(sent).toEqual(['first', 'second']);
    socket.destroy();
  });
});
