import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startApp();
  cookie = (await app.signIn('ada')).cookie(app.origin, 'svc_session')!;
});
afterAll(() => app.close());

type Headers = Readonly<Record<string, string>>;
const object = '/api/providers/main/buckets/files/object?key=x';
const put = async (headers: Headers) => rawRequest(app.origin, object, { method: 'PUT', headers, body: 'x' });
const mine = (): Headers => ({ cookie: `svc_session=${cookie}` });

const foreign = (): Headers[] => [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: '' },
  { origin: app.origin.replace('http:', 'https:') },
  { origin: `${app.origin}.evil.example` },
  { origin: app.origin.toUpperCase() },
  { origin: `${app.origin}/` },
  { origin: `${app.origin}, https://evil.example` },
];

describe('a request with the cookie that changes something, under /api', () => {
  it('is answered without an Origin, and with ours', async () => {
    expect((await put(mine())).status).toBe(200);
    expect((await put({ ...mine(), origin: app.origin })).status).toBe(200);
    for (const site of ['same-origin', 'none'])
      expect((await put({ ...mine(), 'sec-fetch-site': site })).status).toBe(200);
  });

  it('is refused with 403 origin_mismatch from another origin or site', async () => {
    for (const headers of [
      ...foreign(),
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: app.origin, 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await put({ ...mine(), ...headers });
      expect([headers, answer.status, (answer.json() as { code: string }).code]).toEqual([
        headers,
        403,
        'origin_mismatch',
      ]);
    }
  });

  it('is judged by the configured origin, whatever Host says', async () => {
    expect((await put({ ...mine(), host: 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
    expect((await put({ ...mine(), 'x-forwarded-host': 'evil.example', origin: 'http://evil.example' })).status).toBe(
      403,
    );
  });
});

describe('a request with the cookie that only reads', () => {
  const paths = [
    '/api/providers',
    '/api/auth/me',
    '/api/auth/logout',
    '/v1/auth/session',
    '/api/docs',
    '/main',
    '/rpc',
    '/nowhere',
  ];

  it('is refused with 403 origin_mismatch when it names another Origin, on every path', async () => {
    for (const path of paths) {
      for (const headers of foreign()) {
        const answer = await rawRequest(app.origin, path, {
          headers: { ...mine(), ...headers, accept: 'application/json' },
        });
        expect([path, headers, answer.status, answer.text().includes('origin_mismatch')]).toEqual([
          path,
          headers,
          403,
          true,
        ]);
      }
    }
  });

  it('is answered with our Origin and without one, and grants no other origin to read the answer', async () => {
    for (const headers of [{ origin: app.origin }, {}, { 'sec-fetch-site': 'cross-site' }] as Headers[]) {
      const answer = await rawRequest(app.origin, '/api/providers', { headers: { ...mine(), ...headers } });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });
});

describe('a request that a bearer credential or a ticket makes', () => {
  it('needs no Origin with a bearer credential, also beside the cookie', async () => {
    const { access_token: token } = await signInDesktop(app, 'vic');
    for (const headers of foreign())
      expect(
        (
          await rawRequest(app.origin, '/api/providers', {
            headers: { ...mine(), ...headers, authorization: `Bearer ${token}` },
          })
        ).status,
      ).toBe(200);
  });

  it('is refused with a ticket from another site, whichever way it transfers', async () => {
    const rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ] as Headers[]) {
      for (const [direction, method] of [
        ['download', 'GET'],
        ['upload', 'PUT'],
      ] as const) {
        const { url } = await rpc.call('transfer/create', { direction, provider: 'main', bucket: 'files', key: 'x' });
        const use = (more: Headers) =>
          rawRequest(app.origin, new URL(url).pathname, {
            method,
            headers: more,
            ...(method === 'PUT' && { body: 'x' }),
          });
        const refused = await use(headers);
        expect([headers, direction, refused.status, (refused.json() as { code: string }).code]).toEqual([
          headers,
          direction,
          403,
          'origin_mismatch',
        ]);
        expect([direction, (await use({ 'sec-fetch-site': 'none' })).status]).toEqual([direction, 200]);
      }
    }
  });
});

describe('a row of the API that a page loads as its own', () => {
  it('is refused for every kind of thing that a document runs or takes its looks from', async () => {
    await put(mine());
    const rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    const ticket = new URL(
      (await rpc.call('transfer/create', { direction: 'download', provider: 'main', bucket: 'files', key: 'x' })).url,
    ).pathname;
    const archive = { method: 'POST', body: '{"keys":["x"]}', headers: { 'content-type': 'application/json' } };
    for (const [path, request] of [
      [object, {}],
      [object, { method: 'HEAD' }],
      [ticket, {}],
      ['/api/providers/main/buckets/files/archive', archive],
    ] as const) {
      const send = (destination: string) =>
        rawRequest(app.origin, path, {
          ...request,
          headers: { ...mine(), ...('headers' in request && request.headers), 'sec-fetch-dest': destination },
        });
      for (const destination of [
        'script',
        'style',
        'worker',
        'sharedworker',
        'serviceworker',
        'audioworklet',
        'paintworklet',
        'xslt',
        'object',
        'embed',
      ])
        expect([path, destination, (await send(destination)).status]).toEqual([path, destination, 403]);
      for (const destination of ['empty', 'image', 'video', 'document'])
        expect([path, destination, (await send(destination)).status]).toEqual([path, destination, 200]);
    }
  });
});

describe('POST /v1/auth/logout', () => {
  const logout = (headers: Headers) => rawRequest(app.origin, '/v1/auth/logout', { method: 'POST', headers });

  it('with the cookie needs our Origin: without one, or with another, it is 403 and the session stands', async () => {
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, ...foreign()]) {
      const answer = await logout({ ...mine(), ...headers });
      expect([headers, answer.status, (answer.json() as { code: string }).code]).toEqual([
        headers,
        403,
        'origin_mismatch',
      ]);
    }
    expect((await rawRequest(app.origin, '/v1/auth/session', { headers: mine() })).status).toBe(200);
    expect((await logout({ ...mine(), origin: app.origin })).status).toBe(200);
    expect((await rawRequest(app.origin, '/v1/auth/session', { headers: mine() })).status).toBe(401);
  });

  it('with a bearer credential needs none: no browser sends that by itself', async () => {
    const { access_token: token } = await signInDesktop(app, 'vic');
    expect((await logout({ authorization: `Bearer ${token}` })).status).toBe(200);
  });
});
