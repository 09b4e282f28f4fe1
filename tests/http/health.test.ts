import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ config: (config) => ({ ...config, server: { ...(config['server'] as object), metrics: { port: 0 } } }) });
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
    await supertest(app.origin).get('/api/ready').set('cookie', cookie).expect(200, { status: 'ok', checks: { session_store: 'ok', state_database: 'ok' } });
  });
});

describe('GET /metrics', () => {
  it('counts requests by row, on an address of its own alone', async () => {
    await supertest(app.origin).get('/api/providers/main/buckets/secret-name/permissions').expect(401);
    const { text } = await supertest(`http://127.0.0.1:${app.service.metricsPort!}`).get('/metrics').expect(200);
    expect(text).toContain('svc_http_requests_total{method="GET",route="/api/providers/:provider/buckets/:bucket/permissions",status="401"} 1');
    expect(text).not.toContain('secret-name');
    await supertest(app.origin).get('/metrics').set('accept', 'text/plain').expect(404);
  });
});
