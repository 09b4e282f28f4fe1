import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
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
