import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isChange } from '../../src/audit/operations.ts';
import { Connection, QUESTION } from '../../src/client/connection.ts';
import { RPC_METHODS } from '../../src/wire/rpc.ts';

let answer = { status: 200, body: '' };
const server = createServer((_req, res) => void res.writeHead(answer.status, { 'retry-after': '7' }).end(answer.body));
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('a method that may be asked once more changes nothing', () => {
  const questions = [...RPC_METHODS].filter((method) => QUESTION.test(method));
  expect(questions).toEqual(expect.arrayContaining(['object/list', 'object/head', 'bucket/info']));
  expect(questions.filter(isChange)).toEqual([]);
});

const NOT_OURS = { code: 'failed', message: expect.stringContaining('not as svc does') as unknown };
it.each([
  [429, '<html>', { code: 'rate_limited', retryAfterSeconds: 7 }],
  [429, '{"error":"Too Many Requests"}', { code: 'rate_limited', retryAfterSeconds: 7 }],
  [502, '<html>', { code: 'unreachable' }],
  [503, '{"status":503,"error":{"code":503,"message":"down"}}', { code: 'unreachable' }],
  [502, '{"error":true}', { code: 'unreachable' }],
  [200, '<html>', NOT_OURS],
  [200, 'null', NOT_OURS],
  [200, '{"result":null}', NOT_OURS],
  [200, '{"error":null}', NOT_OURS],
  [200, '{"error":{"message":"odd"}}', { code: 'failed', message: 'odd' }],
])('tells what answered in place of the service: %d %s', async (status, body, expected) => {
  answer = { status, body };
  const connection = new Connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a-session');
  await expect(connection.call('session/get', {})).rejects.toMatchObject(expected);
  const each = await connection.callEach('session/get', [{}, {}]);
  expect(each).toMatchObject([{ reason: expected }, { reason: expected }]);
});
