import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { sign } from 'cookie-signature';
import { SESSION_SECRET, startApp, type TestApp } from '../support/app.ts';
import { rawRequest, type RawRequest } from '../support/raw-request.ts';

const OLD_SECRET = 'the session secret before this one, long enough';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startApp({ env: { SVC_SESSION_SECRET_PREVIOUS: OLD_SECRET } });
  cookie = (await app.signIn('ada')).cookie(app.origin, 'svc_session')!;
});
afterAll(() => app.close());

const send = (path: string, headers: RawRequest['headers'] = {}, more: RawRequest = {}) =>
  rawRequest(app.origin, path, { ...more, headers });
const statusWith = async (headers: RawRequest['headers']) => (await send('/api/providers', headers)).status;
const withCookie = (value: string) => ({ cookie: `svc_session=${value}` });
const credential = () => decodeURIComponent(cookie).slice(2).split('.')[0]!;
const signed = (value: string, secret: string) => encodeURIComponent(`s:${sign(value, secret)}`);

describe('the session cookie', () => {
  it('counts as it was set, among other cookies and in quotes of no kind', async () => {
    expect(await statusWith(withCookie(cookie))).toBe(200);
    expect(await statusWith({ cookie: `theme=dark; svc_session=${cookie}; other=1` })).toBe(200);
    expect(await statusWith({ cookie: `svc_session="${cookie}"` })).toBe(401);
    expect(await statusWith({ cookie: `Svc_Session=${cookie}` })).toBe(401);
    expect(await statusWith({ cookie: `xsvc_session=${cookie}` })).toBe(401);
  });

  it('does not count when it comes twice, in one header or two', async () => {
    expect(await statusWith({ cookie: `svc_session=${cookie}; svc_session=${cookie}` })).toBe(401);
    expect(await statusWith({ cookie: `svc_session=forged; svc_session=${cookie}` })).toBe(401);
    expect(await statusWith({ cookie: `svc_session=${cookie}; svc_session=forged` })).toBe(401);
    expect(await statusWith({ cookie: [`svc_session=${cookie}`, `svc_session=${cookie}`] })).toBe(401);
  });

  it('does not count when it is forged, cut, lengthened, changed in case, or not signed', async () => {
    const value = decodeURIComponent(cookie);
    const forged = [
      '',
      's:',
      value.slice(2),
      value.slice(0, -1),
      `${value}x`,
      `s:${credential()}`,
      `s:${credential()}.`,
      credential(),
      value.toUpperCase(),
      `s:${sign(credential(), 'a secret that an attacker made up')}`,
      `s:${sign(credential(), '')}`,
      `s:${sign(`${credential()}x`, SESSION_SECRET)}`,
      `j:{"id":"${credential()}"}`,
    ];
    for (const each of forged)
      expect([each, await statusWith(withCookie(encodeURIComponent(each)))]).toEqual([each, 401]);
    for (const raw of ['%', '%zz', '%ff', '%C3%28', '\u00e4'])
      expect([raw, await statusWith(withCookie(raw))]).toEqual([raw, 401]);
  });

  it('counts when the secret before signed it, so that secrets can be rotated', async () => {
    expect(await statusWith(withCookie(signed(credential(), SESSION_SECRET)))).toBe(200);
    expect(await statusWith(withCookie(signed(credential(), OLD_SECRET)))).toBe(200);
    expect(await statusWith(withCookie(signed(credential(), `${OLD_SECRET} `)))).toBe(401);
  });
});

describe('a bearer credential', () => {
  it('is not a web session’s, signed or bare', async () => {
    for (const value of [credential(), decodeURIComponent(cookie), cookie])
      expect(await statusWith({ authorization: `Bearer ${value}` })).toBe(401);
  });

  it('that is an API key is told that keys work at `/rpc`, whether it is one or not', async () => {
    const authorization = `Bearer svc_ak_0123456789abcdef_${'x'.repeat(43)}`;
    for (const [method, path] of [
      ['GET', '/api/providers'],
      ['DELETE', '/api/providers/main/buckets/files/object?key=a'],
      ['GET', '/v1/auth/session'],
    ] as const) {
      const answer = await send(path, { authorization }, { method });
      expect([answer.status, answer.json()]).toEqual([
        401,
        expect.objectContaining({
          code: 'session_required',
          detail: 'an API key works at `/rpc` alone; call the method there, or sign in',
        }),
      ]);
    }
    expect((await send('/api/providers')).json()).toMatchObject({ detail: 'sign in, then try again' });
  });

  it('counts alone: a cookie beside it is not looked at', async () => {
    expect(await statusWith({ ...withCookie(cookie), authorization: 'Bearer forged' })).toBe(401);
    expect(await statusWith({ ...withCookie(cookie), authorization: 'Bearer ' })).toBe(200);
    expect(await statusWith({ ...withCookie(cookie), authorization: 'Basic YWRhOmFkYQ==' })).toBe(200);
  });
});

// `npm run bench -- faults bad-credentials` has a hundred times as many.
describe('bad credentials in great number', () => {
  it('are answered 401 every time and leave no session behind', async () => {
    const sessions = async () =>
      ((await send('/api/admin/sessions', withCookie(cookie))).json() as { sessions: unknown[] }).sessions.length;
    const before = await sessions();
    const real = decodeURIComponent(cookie);
    const made = (i: number): Record<string, string> => {
      const random = randomBytes(32).toString('base64url');
      const at = 2 + (i % (real.length - 2));
      const bent = real.slice(0, at) + (real[at] === 'A' ? 'B' : 'A') + real.slice(at + 1);
      return [
        { cookie: `svc_session=${signed(random, SESSION_SECRET)}` },
        withCookie(encodeURIComponent(bent)),
        withCookie(random),
        { authorization: `Bearer ${random}` },
        { authorization: `Bearer svc_ak_${random.slice(0, 16)}_${random}` },
      ][i % 5]!;
    };
    const statuses = new Map<number, number>();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < 1_000) {
        const answer = await fetch(`${app.origin}/api/providers`, { headers: made(next++) });
        await answer.arrayBuffer();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect([...statuses]).toEqual([[401, 1_000]]);
    expect(await sessions()).toBe(before);
  });
});
