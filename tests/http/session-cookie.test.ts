import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { expect, it } from '@jest/globals';
import { codeOf } from '../../src/errors/svc-error.ts';
import { SessionCookie } from '../../src/http/session-cookie.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import { Sessions } from '../../src/session/sessions.ts';

/** What a browser gets that is handed a credential: the cookie's value, or the code of the error. */
async function issued(credential: (sessions: Sessions) => Promise<string>): Promise<string | undefined> {
  const sessions = new Sessions({ store: new MemorySessionStore({ capacity: 8, perSubject: 8, now: Date.now }), ttlSeconds: 60, isAdmin: () => false, now: Date.now });
  const cookie = new SessionCookie({ sessions, secrets: ['a secret for the tests'], secure: false, path: '/', ttlSeconds: 60 });
  const app = express();
  app.get('/', (req: Request, res: Response) => {
    void credential(sessions)
      .then((value) => cookie.issue(req, res, value))
      .then(() => res.end('issued'), (error: unknown) => res.end(codeOf(error)));
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const said = await answer.text();
  server.close();
  return said;
}

const start = async (sessions: Sessions) => (await sessions.start({ kind: 'web', identity: { issuer: 'i', subject: 's', groups: [] }, name: 's', idToken: '' })).credential;

it('a cookie is set for a session that stands', async () => {
  expect(await issued(start)).toBe('issued');
});

it('no cookie is set for a session that has gone meanwhile', async () => {
  const ended = async (sessions: Sessions) => {
    const credential = await start(sessions);
    await sessions.end(credential);
    return credential;
  };
  expect(await issued(ended)).toBe('session_store_unavailable');
});
