import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { Connection } from '../../src/client/connection.ts';
import { UploadTurns } from '../../src/client/upload-turns.ts';

type Call = { readonly id: number; readonly params: { readonly key: string } };

/** The keys that each message asked tickets for. */
let messages: string[][] = [];
let status = 200;
const server = createServer((req, res) => {
  void json(req).then(async (message) => {
    const calls = [message as Call | Call[]].flat();
    messages.push(calls.map(({ params }) => params.key));
    await pause(5);
    const answers = calls.map(({ id, params: { key } }) => ({
      id,
      ...(key === 'secret'
        ? { error: { message: 'denied', data: { code: 'access_denied' } } }
        : { result: { url: `ticket of ${key}`, method: 'PUT' } }),
    }));
    res.statusCode = status;
    // The order of the answers to a batch says nothing.
    const answer = Array.isArray(message) ? [null, ...answers.toReversed()] : answers[0];
    const refusal = { error: { message: 'x', data: { code: 'session_required' } } };
    res.end(JSON.stringify(status === 200 ? answer : refusal));
  });
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  messages = [];
  status = 200;
});

function uploads(keys: readonly string[], atOnce: number) {
  const connection = new Connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a-session');
  const turns = new UploadTurns(connection, pLimit(atOnce));
  let [underWay, most] = [0, 0];
  const all = keys.map((key) =>
    turns.take({ direction: 'upload', provider: 'main', bucket: 'files', key }, async ({ url }) => {
      most = Math.max(most, (underWay += 1));
      await pause(20);
      underWay -= 1;
      return url;
    }),
  );
  return { all: Promise.allSettled(all), most: () => most };
}

const KEYS = Array.from({ length: 120 }, (_, at) => `k${at}`);

it('asks for many tickets in one message, and gives each upload its own', async () => {
  const { all, most } = uploads(KEYS, 4);
  const outcomes = await all;
  expect(outcomes).toEqual(KEYS.map((key) => ({ status: 'fulfilled', value: `ticket of ${key}` })));
  expect(messages.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(most()).toBe(4);
});

it('refuses only the upload whose ticket is refused', async () => {
  const outcomes = await uploads(['a', 'b', 'secret', 'c'], 1).all;
  expect(outcomes.map(({ status: how }) => how)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[2]).toMatchObject({ reason: { code: 'access_denied' } });
  expect(messages).toEqual([['a', 'b', 'secret', 'c']]);
});

it('refuses each upload of a message that is refused, and goes on with others', async () => {
  status = 401;
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'session_required' }) };
  expect(await uploads(['a', 'b', 'c'], 2).all).toEqual([refused, refused, refused]);
  expect(messages).toEqual([['a', 'b', 'c']]);
});
