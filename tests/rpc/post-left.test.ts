import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CredentialWatch, type Ending } from '../../src/access/credential-watch.ts';
import type { Caller } from '../../src/access/caller.ts';
import { Identify } from '../../src/access/identify.ts';
import { OriginCheck } from '../../src/access/origin.ts';
import { LivePolicies } from '../../src/access/live-policies.ts';
import { auditLog } from '../../src/audit/audit-log.ts';
import { operation } from '../../src/operation/operation.ts';
import { Performer } from '../../src/operation/perform.ts';
import { Dispatch } from '../../src/rpc/dispatch.ts';
import { rpcPost } from '../../src/rpc/post.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import { Sessions } from '../../src/session/sessions.ts';

/** As far away as Redis can be. */
const STORE_MS = 200;

class SlowSessions extends Sessions {
  override async findByDigest(digest: string): ReturnType<Sessions['findByDigest']> {
    await wait(STORE_MS);
    return super.findByDigest(digest);
  }
}

class CountingWatch extends CredentialWatch {
  begun = 0;
  open = 0;

  override watch(caller: Caller, onEnd: (why: Ending) => void): () => void {
    const leave = super.watch(caller, onEnd);
    this.begun += 1;
    this.open += 1;
    return () => {
      this.open -= 1;
      leave();
    };
  }
}

const now = () => Date.now();
const sessions = new SlowSessions({
  store: new MemorySessionStore({ capacity: 8, perSubject: 8, now }),
  ttlSeconds: 3_600,
  isAdmin: () => false,
  now,
});
const identify = new Identify({
  authEnabled: true,
  sessions,
  policies: new LivePolicies({ enabled: true, policies: [], roles: [], bindings: [], localUsers: [] }),
  apiKeys: undefined,
  cookieSecrets: [],
});
const watch = new CountingWatch({ identify, sessions, apiKeys: undefined, now });
const ownOrigin = new OriginCheck({ authEnabled: true, publicOrigin: 'http://127.0.0.1', loopbackPort: undefined });
/** More than the kernel takes for a client that does not read. */
const large = operation({
  name: 'bucket/create',
  access: { kind: 'session' },
  run: () => ({ name: 'x'.repeat(24 * 2 ** 20) }),
});
const audit = auditLog({ info: () => undefined } as never);
const performer = new Performer({ audit, watch, storage: {} as never, services: {} as never });
const answer = rpcPost({
  identify,
  watch,
  ownOrigin,
  performer,
  dispatch: new Dispatch({
    methods: new Map([[large.name, large]]),
    performer,
    log: {} as never,
    version: '0',
  }),
  bodyDeadlineMs: 1_000,
});
const server = http.createServer((req, res) => void answer(req, res, { requestId: '', address: '', face: 'rpc' }));

const signIn = () =>
  sessions.start({
    kind: 'desktop',
    identity: { issuer: 'i', subject: 's', groups: [] },
    name: 's',
    idToken: '',
    address: '127.0.0.1',
  });

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

it('nothing is held for a client that left while its session was looked up', async () => {
  const { credential } = await signIn();
  const { port } = server.address() as AddressInfo;
  for (let i = 0; i < 5; i += 1) {
    const req = http.request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/rpc',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    });
    req.on('error', () => undefined);
    req.end('{}');
    await wait(STORE_MS / 4);
    req.destroy();
  }
  for (let waited = 0; watch.begun < 5 && waited < 50; waited += 1) await wait(100);
  await wait(50);
  expect([watch.begun, watch.open]).toEqual([5, 0]);
});

it('an answer that its client does not read is dropped when the session ends', async () => {
  const { credential } = await signIn();
  const { port } = server.address() as AddressInfo;
  const answered = Promise.withResolvers<http.IncomingMessage>();
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const call = { jsonrpc: '2.0', id: 1, method: large.name, params: { provider: 'main', name: 'files' } };
  http
    .request({ port, host: '127.0.0.1', method: 'POST', path: '/rpc', headers }, answered.resolve)
    .end(JSON.stringify(call));
  const response = await answered.promise;
  await sessions.endById((await identify.byCredentials({ bearer: credential }))!.credentialId);
  await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
});
