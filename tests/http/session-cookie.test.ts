import express, { type Request, type Response } from 'express';
import supertest from 'supertest';
import { describe, expect, it } from '@jest/globals';
import { codeOf } from '../../src/errors/svc-error.ts';
import { SessionCookie } from '../../src/http/signin/session-cookie.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import type { StoredSession } from '../../src/session/session.ts';
import { Sessions } from '../../src/session/sessions.ts';

const person = {
  identity: { issuer: 'i', subject: 's', groups: [] },
  name: 's',
  idToken: 'of s',
  address: '127.0.0.1',
};

/** A service that begins and ends sessions, and does as much more as the test says before it answers. */
function service(meanwhile: (sessions: Sessions) => Promise<unknown> = async () => undefined) {
  const store = new MemorySessionStore({ capacity: 8, perSubject: 8, now: Date.now });
  const sessions = new Sessions({ store, ttlSeconds: 60, isAdmin: () => false, now: Date.now });
  const cookie = new SessionCookie({
    sessions,
    secrets: ['a secret for the tests'],
    secure: false,
    path: '/',
    ttlSeconds: 60,
  });
  const app = express();
  const route = (path: string, run: (req: Request, res: Response) => Promise<unknown>) =>
    app.get(
      path,
      (req, res) =>
        void run(req, res).then(
          (value) => meanwhile(sessions).then(() => res.json(value ?? null)),
          (error: unknown) => res.end(codeOf(error)),
        ),
    );
  route('/begin', (req, res) => cookie.begin(req, res, person));
  route('/end', async (req, res) => {
    const ended: StoredSession[] = [];
    await cookie.end(req, res, (session) => ended.push(session));
    return ended;
  });
  return { sessions, store, agent: supertest.agent(app) };
}

describe('the session cookie', () => {
  it('is set for a session that begins, and ends the one before', async () => {
    const { sessions, agent } = service();
    const first = await agent.get('/begin');
    expect(first.headers['set-cookie']?.[0]).toMatch(
      /^svc_session=s%3A[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    const second = await agent.get('/begin');
    expect((second.body as { id: string }).id).not.toBe((first.body as { id: string }).id);
    expect((await sessions.list()).map(({ id }) => id)).toEqual([(second.body as { id: string }).id]);
  });

  it('is cleared with the session, whose ID Token is told', async () => {
    const { sessions, agent } = service();
    await agent.get('/begin');
    const ended = await agent.get('/end');
    expect(ended.body).toMatchObject([{ idToken: 'of s', name: 's' }]);
    expect(ended.headers['set-cookie']?.[0]).toMatch(/^svc_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect(await sessions.list()).toEqual([]);
    expect((await agent.get('/end')).body).toEqual([]);
  });

  it('brings no session back that ends before the answer does', async () => {
    const { sessions, agent } = service(async (all) =>
      Promise.all((await all.list()).map(({ id }) => all.endById(id))),
    );
    await agent.get('/begin');
    expect(await sessions.list()).toEqual([]);
  });

  it('is neither cleared nor set while the store fails, because the session may still be there', async () => {
    const { store, agent } = service();
    await agent.get('/begin');
    const fails = () => Promise.reject(new Error('the disk is full'));
    Object.assign(store, { find: fails, remove: fails });
    const ended = await agent.get('/end');
    expect([ended.text, ended.headers['set-cookie']?.[0]]).toEqual(['session_store_unavailable', undefined]);
    const begun = await agent.get('/begin');
    expect([begun.text, begun.headers['set-cookie']]).toEqual(['session_store_unavailable', undefined]);
  });
});
