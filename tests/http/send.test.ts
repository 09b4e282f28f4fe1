import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Call } from '../../src/http/routing/call.ts';
import { send } from '../../src/http/routing/send.ts';
import { heldBytes } from '../support/held-bytes.ts';

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

describe('an answer in JSON', () => {
  it('counts as memory until the client has it', async () => {
    const json = { text: 'x'.repeat(16 * 2 ** 20) };
    const held: number[] = [];
    const answer = Promise.withResolvers<http.IncomingMessage>();
    let isSent = false;
    const sent = Promise.withResolvers<boolean>();
    server = http.createServer((req, res) => {
      const call = new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] });
      send(call, { status: 200, json }, async (bytes) => void held.push(bytes)).then((done) => {
        isSent = true;
        sent.resolve(done);
      }, sent.reject);
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    http.get({ port: (server.address() as AddressInfo).port }, answer.resolve);
    const response = await answer.promise;
    expect([held, isSent]).toEqual([[JSON.stringify(json).length, 0], false]);
    await text(response);
    expect(await sent.promise).toBe(true);
  });

  it('of which a client takes the compressed form counts as what it was before, which is kept no longer than the client reads', async () => {
    const half = randomBytes(4 * 2 ** 20).toString('hex');
    let json: object | undefined = { text: half + half };
    const size = JSON.stringify(json).length;
    const held: number[] = [];
    const before = new WeakRef(json);
    server = http.createServer((req, res) => {
      const call = new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] });
      void send(call, { status: 200, json: json! }, async (bytes) => void held.push(bytes));
      json = undefined;
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const answer = Promise.withResolvers<http.IncomingMessage>();
    const { port } = server.address() as AddressInfo;
    const asked = http.get({ port, headers: { 'accept-encoding': 'gzip' } }, answer.resolve);
    const { headers } = await answer.promise;
    heldBytes();
    expect([headers['content-encoding'], held, before.deref()]).toEqual(['gzip', [size, 0], undefined]);
    asked.destroy();
  });

  it.each([
    ['short', { status: 200, json: {} }],
    ['empty', { status: 204 }],
    ['with the client already', { status: 200, json: { text: 'x' }, tag: { apart: null } }],
  ] as const)('that is %s ends the turn of its caller before it is sent', async (_, reply) => {
    const isSentWhenHeld: boolean[] = [];
    server = http.createServer((req, res) => {
      const call = new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] });
      void send(call, reply, async () => void isSentWhenHeld.push(res.headersSent));
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const first = await fetch(`http://127.0.0.1:${port}`);
    isSentWhenHeld.splice(0);
    await fetch(`http://127.0.0.1:${port}`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect(isSentWhenHeld).toEqual([false]);
  });

  it.each([
    ['x', undefined],
    ['ü', 'gzip'],
  ])('is short by its bytes, not by its letters: %s', async (letter, encoding) => {
    server = http.createServer((req, res) => {
      const call = new Call({ req, res, params: {}, requestId: '', address: undefined, headers: [] });
      void send(call, { status: 200, json: { text: letter.repeat(800) } });
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const answer = Promise.withResolvers<http.IncomingMessage>();
    const { port } = server.address() as AddressInfo;
    http.get({ port, headers: { 'accept-encoding': 'gzip' } }, answer.resolve);
    const response = await answer.promise;
    await text(response);
    expect(response.headers['content-encoding']).toBe(encoding);
  });
});
