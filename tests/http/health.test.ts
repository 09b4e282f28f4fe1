import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { healthRoutes } from '../../src/http/rows/routes-health.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('GET /api/health', () => {
  it('says that the process answers, and which version it is', async () => {
    await supertest(app.origin).get('/api/health').expect(200, { status: 'ok', version: '0.0.0-test' });
  });
});

describe('GET /api/ready', () => {
  it('names each part that it asked to whoever is signed in, and to others says the status alone', async () => {
    const cookie = `svc_session=${(await app.signIn('nobody')).cookie(app.origin, 'svc_session')!}`;
    await supertest(app.origin).get('/api/ready').expect(200, { status: 'ok' });
    await supertest(app.origin).get('/api/ready').set('cookie', 'svc_session=s%3Ax').expect(200, { status: 'ok' });
    await supertest(app.origin)
      .get('/api/ready')
      .set('cookie', cookie)
      .expect(200, { status: 'ok', checks: { session_store: 'ok', state_database: 'ok' } });
  });

  it('checks once for all who ask within a second', async () => {
    let asked = 0;
    const check = () => Promise.resolve(void (asked += 1));
    const ready = healthRoutes('1', [{ name: 'session_store', check }], () => Promise.resolve(false)).find(
      ({ path }) => path === '/api/ready',
    )!;
    const request = { req: { headers: {} } } as never;
    const since = performance.now();
    const ask = () => Promise.resolve(ready.handle(request));
    expect(await Promise.all(Array.from({ length: 50 }, ask))).toEqual(
      Array.from({ length: 50 }, () => ({ status: 200, json: { status: 'ok' } })),
    );
    expect(asked).toBe(1);
    while (asked === 1) {
      await ask();
      await new Promise(setImmediate);
    }
    expect(performance.now() - since).toBeGreaterThanOrEqual(1_000);
  });
});
