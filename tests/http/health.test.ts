import { afterAll, beforeAll, describe, it } from '@jest/globals';
import supertest from 'supertest';
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
});
