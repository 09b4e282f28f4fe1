import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';
import { signInDesktop } from '../support/desktop-client.ts';

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
    for (const site of ['same-origin', 'none']) expect((await put({ ...mine(), 'sec-fetch-site': site })).status).toBe(200);
  });

  it('is refused with 403 origin_mismatch from another origin or site', async () => {
    for (const headers of [...foreign(), { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: app.origin, 'sec-fetch-site': 'cross-site' }]) {
      const answer = await put({ ...mine(), ...headers });
      expect([headers, answer.status, (answer.json() as { code: string }).code]).toEqual([headers, 403, 'origin_mismatch']);
    }
  });

  it('is judged by the configured origin, whatever Host says', async () => {
    expect((await put({ ...mine(), host: 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
    expect((await put({ ...mine(), 'x-forwarded-host': 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
  });
});

describe('a request that only reads', () => {
  it('is answered whatever its Origin, and grants no other origin to read the answer', async () => {
    for (const headers of foreign()) {
      const answer = await rawRequest(app.origin, '/api/providers', { headers: { ...mine(), ...headers } });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });
});

describe('POST /v1/auth/logout', () => {
  const logout = (headers: Headers) => rawRequest(app.origin, '/v1/auth/logout', { method: 'POST', headers });

  it('with the cookie needs our Origin: without one, or with another, it is 403 and the session stands', async () => {
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, ...foreign()]) {
      const answer = await logout({ ...mine(), ...headers });
      expect([headers, answer.status, (answer.json() as { code: string }).code]).toEqual([headers, 403, 'origin_mismatch']);
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
