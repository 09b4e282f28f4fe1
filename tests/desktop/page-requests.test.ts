import { createServer, type Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection } from '../../src/client/connection.ts';
import { answerPage } from '../../src/desktop/page-requests.ts';
import { UiFiles } from '../../src/desktop/ui-files.ts';

let service: Server;
let bridge: Server;
/** What reached the service. */
let reached: string[];

const listen = (server: Server) =>
  new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );

beforeAll(async () => {
  service = createServer((req, res) => {
    reached.push(req.url!);
    res.writeHead(200, { 'service-worker-allowed': '/', 'content-type': 'text/html' }).end('<script>1</script>');
  });
  const connection = new Connection(await listen(service), 'secret');
  const nothing = () => Promise.resolve();
  bridge = createServer(
    (req, res) =>
      void answerPage(req, res, req.url!.slice(1).split('?')[0]!, {
        ui: new UiFiles('/nowhere'),
        place: { origin: '', path: '/', cookie: '' },
        connection,
        screen: nothing,
        signIn: nothing,
        signOut: nothing,
      }),
  );
  await listen(bridge);
});
afterAll(() => {
  bridge.close();
  service.close();
});
beforeEach(() => {
  reached = [];
});

/** `fetch` would resolve dots, and does not let `Sec-Fetch-Dest` be set. */
function ask(path: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ readonly status: number; readonly headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      request(
        { host: '127.0.0.1', port: (bridge.address() as AddressInfo).port, path, headers, agent: false },
        (res) => {
          res.resume();
          resolve({ status: res.statusCode!, headers: res.headers });
        },
      )
        .on('error', reject)
        .end();
    },
  );
}

describe('a request of the page', () => {
  it.each([
    '/api/providers/main/buckets/a%20b.c-d_e/object?key=a%252fb;c',
    '/v1/transfers/Ab-_9',
    '/api/auth/me',
    '/rpc',
  ])('reaches the service: %s', async (path) => {
    expect((await ask(path)).status).toBe(200);
    expect(reached).toEqual([path]);
  });

  it.each([
    '/api/%252e%252e/v1/auth/token',
    '/api/x%252f..%252fauth/login',
    '/v1/auth;x/token',
    '/v1/auth%3Fx/token',
    '/v1/auth%3bx/token',
    '/v1/auth%23x',
    '/v1/%2561uth/token',
    '/v1/%61uth/token',
    '/v1/auth/token',
    '/api/x%5cauth',
    '/api/%',
  ])('does not reach the service: %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
    expect(reached).toEqual([]);
  });

  it.each(['document', 'iframe', 'frame', 'object', 'embed', 'serviceworker'])(
    'makes nothing of the service a %s',
    async (destination) => {
      expect((await ask('/api/docs', { 'sec-fetch-dest': destination })).status).toBe(403);
      expect(reached).toEqual([]);
    },
  );

  it('leads from a sign-out without a session to the page after it', async () => {
    expect(await ask('/api/auth/logout')).toMatchObject({ status: 303, headers: { location: '../../signed-out' } });
    expect(reached).toEqual([]);
  });

  it('lets no service worker reach beyond its folder', async () => {
    expect((await ask('/api/docs', { 'sec-fetch-dest': 'empty' })).headers['service-worker-allowed']).toBeUndefined();
  });
});
