import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { PageSockets } from '../../src/desktop/page-sockets.ts';

type Call = { readonly id?: string; readonly method: string };

let server: Server;
let sockets: PageSockets;
let sent: string[];

beforeEach(async () => {
  sent = [];
  sockets = new PageSockets((text) => sent.push(text));
  server = createServer().on('upgrade', (req, socket, head) => sockets.upgrade(req, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  sockets.closeAll(1000);
  server.close();
});

async function open(): Promise<{
  readonly socket: WebSocket;
  readonly ask: (text: string) => Promise<void>;
  readonly next: () => Promise<unknown>;
}> {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await once(socket, 'open');
  const ask = async (text: string) => {
    const before = sent.length;
    socket.send(text);
    while (sent.length === before) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    socket,
    ask,
    next: async () => JSON.parse(String(((await once(socket, 'message')) as [Buffer])[0])) as unknown,
  };
}

/** What the service answers: the method of each call. */
function answerAll(): void {
  for (const text of sent.splice(0).reverse()) {
    const message = JSON.parse(text) as Call | Call[];
    const answered = [message]
      .flat()
      .flatMap(({ id, method }) => (id === undefined ? [] : [{ jsonrpc: '2.0', id, result: method }]))
      .reverse();
    sockets.answer(JSON.stringify(Array.isArray(message) ? answered : answered[0]));
  }
}

describe('PageSockets', () => {
  it('brings each answer to the socket that asked, under the id that it gave', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    await one.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'of one' }));
    await other.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'of the other' }));
    const answers = Promise.all([one.next(), other.next()]);
    answerAll();
    expect(await answers).toEqual([
      expect.objectContaining({ id: 1, result: 'of one' }),
      expect.objectContaining({ id: 1, result: 'of the other' }),
    ]);
  });

  it('gives the ids of a batch back, whatever they are and in whatever order', async () => {
    const { ask, next } = await open();
    await ask(JSON.stringify([{ id: null, method: 'a' }, { method: 'notification' }, { id: '1.0', method: 'b' }]));
    const answer = next();
    answerAll();
    expect(await answer).toEqual([
      expect.objectContaining({ id: '1.0', result: 'b' }),
      expect.objectContaining({ id: null, result: 'a' }),
    ]);
  });

  it('brings what the service tells by itself to every socket, and ends the watches of one that closes', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    await one.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'object/watch', params: {} }));
    const answer = one.next();
    sockets.answer(
      JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(sent.pop()!) as Call).id, result: { watch: '7' } }),
    );
    expect(await answer).toMatchObject({ id: 1, result: { watch: '7' } });
    const told = { jsonrpc: '2.0', method: 'object/changed', params: { watch: '7' } };
    const both = Promise.all([one.next(), other.next()]);
    sockets.answer(JSON.stringify(told));
    expect(await both).toEqual([told, told]);
    const ends = async (watch: string) => {
      while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(JSON.parse(sent.pop()!)).toEqual({ jsonrpc: '2.0', method: 'object/unwatch', params: { watch } });
    };
    one.socket.close();
    await ends('7');
    // Another one closes before it has the answer.
    await other.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'object/watch', params: {} }));
    const { id } = JSON.parse(sent.pop()!) as Call;
    other.socket.close();
    await once(other.socket, 'close');
    sockets.answer(JSON.stringify({ jsonrpc: '2.0', id, result: { watch: '8' } }));
    await ends('8');
    expect(sent).toEqual([]);
  });

  it.each(['{', '[]', '[1]', '"text"', 'null'])('answers %s itself', async (text) => {
    const { socket, next } = await open();
    const answer = next();
    socket.send(text);
    expect(await answer).toMatchObject({ id: null, error: { code: -32_700 } });
    expect(sent).toEqual([]);
  });

  it('drops answers that nobody waits for, and says why it closes', async () => {
    const { socket, ask } = await open();
    await ask(JSON.stringify({ id: 1, method: 'late' }));
    const closed = once(socket, 'close');
    sockets.closeAll(4001);
    expect((await closed)[0]).toBe(4001);
    answerAll();
    sockets.answer(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'x' } }));
  });
});
