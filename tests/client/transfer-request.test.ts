import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bytesOf, Connection } from '../../src/client/connection.ts';
import { ticketTransport } from '../../src/client/ticket-transport.ts';
import { beginTransfer, type TransferRequest } from '../../src/client/transfer-request.ts';

const SESSION = 'a-session';
const API_KEY = 'svc_ak_a-key';
const OBJECT = { provider: 'main', bucket: 'files', key: 'a/../b //ä?c#d%2F&e' };
const ROUTE = `/api/providers/main/buckets/files/object?key=${encodeURIComponent(OBJECT.key)}`;

/** Each request as `METHOD path credential body`; the body of a call is its method. */
let asked: string[] = [];
let answer: { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };
const server = createServer((req, res) => {
  void text(req).then((sent) => {
    const isCall = req.url === '/rpc';
    const body = isCall ? (JSON.parse(sent) as { readonly method: string }).method : sent;
    asked.push([req.method, req.url, req.headers.authorization ?? '-', body].join(' ').trim());
    const url = `${address()}/v1/transfers/ticket`;
    if (isCall) res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { url, method: 'PUT' } }));
    else res.writeHead(answer.status, answer.headers).end(answer.body);
  });
});
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  // Not every storage gives an ETag.
  answer = { status: 200, headers: { 'content-disposition': 'inline; filename=e' }, body: 'content' };
});

async function transfer(
  credential: string | undefined,
  direction: 'download' | 'upload',
  request: Omit<TransferRequest, 'headers'> = {},
  target = OBJECT,
): Promise<string> {
  const connection = new Connection(address(), credential);
  const { body } = await beginTransfer(connection, direction, target, { headers: {}, ...request });
  return (await bytesOf(body)).toString();
}
const ticketed = (credential: string, body = '') => [
  `POST /rpc Bearer ${credential} transfer/create`,
  `PUT /v1/transfers/ticket - ${body}`.trim(),
];

describe('a transfer with a session', () => {
  it('is one request with the credential for a download', async () => {
    expect(await transfer(SESSION, 'download')).toBe('content');
    expect(await transfer(undefined, 'download')).toBe('content');
    expect(asked).toEqual([`GET ${ROUTE} Bearer ${SESSION}`, `GET ${ROUTE} -`]);
  });

  it('has a ticket for an upload, so that a proxy that sends it again stores it once', async () => {
    await transfer(SESSION, 'upload', { body: Buffer.from('abc') });
    expect(asked).toEqual(ticketed(SESSION, 'abc'));
  });

  it('asks for a ticket for a key that no URL carries unchanged', async () => {
    await transfer(SESSION, 'download', {}, { ...OBJECT, key: 'half \ud800' });
    await transfer(SESSION, 'download', {}, { ...OBJECT, key: 'ä'.repeat(1000) });
    expect(asked).toEqual([...ticketed(SESSION), ...ticketed(SESSION)]);
  });

  it('says what the service refuses', async () => {
    answer = { status: 403, body: JSON.stringify({ code: 'access_denied', detail: 'you may not' }) };
    await expect(transfer(SESSION, 'download')).rejects.toMatchObject({
      code: 'access_denied',
      message: 'you may not',
    });
  });

  it('takes its credential to no other place, and says where the service is not', async () => {
    answer = { status: 302, headers: { location: `${address()}/elsewhere` }, body: '' };
    await expect(transfer(SESSION, 'download')).rejects.toThrow(/redirects to .*give the address that people open/);
    answer = { status: 404, body: '<html>' };
    await expect(transfer(SESSION, 'download')).rejects.toThrow(
      /answered 404 and not as svc does; check the address, and whether `\/api` is passed on by the proxy/,
    );
    // A page that is a file of the proxy has an ETag.
    answer = { status: 200, headers: { etag: '"e"', 'accept-ranges': 'bytes' }, body: '<html>' };
    await expect(transfer(SESSION, 'download')).rejects.toThrow(/answered 200 and not as svc does/);
    answer = { status: 502, body: '<html>' };
    const proxy = /answered 502, as a proxy does that cannot reach the service or has lost it; does the service run\?$/;
    await expect(transfer(SESSION, 'download')).rejects.toThrow(proxy);
    await expect(transfer(SESSION, 'upload', { body: Buffer.from('abc') })).rejects.toThrow(proxy);
    expect(asked).toHaveLength(6);
  });

  it.each([
    ['', 'a page'],
    ['', '{"message":"too many requests"}'],
    ['7', '<html>'],
  ])('waits when a proxy takes no more requests for now (Retry-After: %j, %s)', async (retryAfter, body) => {
    answer = { status: 429, headers: { 'retry-after': retryAfter }, body };
    for (const direction of ['download', 'upload'] as const)
      await expect(transfer(SESSION, direction)).rejects.toMatchObject({
        code: 'rate_limited',
        message: expect.stringContaining('a proxy in front of the service') as unknown,
        retryAfterSeconds: retryAfter === '' ? undefined : 7,
      });
  });
});

it('takes a ticket with an API key, which works at `/rpc` alone', async () => {
  await transfer(API_KEY, 'download');
  expect(asked).toEqual(ticketed(API_KEY));
});

it.each(['', '<html>', 'null', '{"ok":true}'])(
  'does not know whether an upload is stored whose answer is %j',
  async (body) => {
    answer = { status: 200, body };
    const signal = new AbortController().signal;
    const transport = ticketTransport(new Connection(address(), SESSION));
    const content = Buffer.from('abc');
    const sending = transport.put(OBJECT, content, '', 'replace', { signal, onProgress: () => undefined });
    await expect(sending).rejects.toMatchObject({ code: 'incomplete' });
  },
);
