import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisSessionStore } from '../../../src/session/redis-store.ts';
import { RedisEntries } from '../../../src/state/redis-entries.ts';
import type { RedisServerOptions } from '../../../src/state/redis-servers.ts';
import { freePort } from '../../support/free-port.ts';
import { openedRedis } from '../../support/opened-redis.ts';
import { PrivateAuthority } from '../../support/private-authority.ts';
import { SERVICE_USER } from '../../support/redis-group.ts';
import { RedisServer } from '../../support/redis-server.ts';

let authority: PrivateAuthority;
let redis: RedisServer;
let directory: string;
let good: RedisServerOptions;

beforeAll(async () => {
  authority = new PrivateAuthority();
  directory = await mkdtemp(join(tmpdir(), 'svc-redis-tls-'));
  const { key, cert } = authority.issue();
  await writeFile(join(directory, 'key.pem'), key);
  await writeFile(join(directory, 'cert.pem'), cert);
  const port = await freePort();
  redis = await RedisServer.start(
    '--tls-port',
    String(port),
    '--tls-cert-file',
    join(directory, 'cert.pem'),
    '--tls-key-file',
    join(directory, 'key.pem'),
    '--tls-ca-cert-file',
    authority.file,
    '--tls-auth-clients',
    'yes',
  );
  await redis.ask(SERVICE_USER);
  good = { url: `rediss://service:pass%2Dword@127.0.0.1:${port}`, ca: [authority.certificate], ...authority.issue() };
});
afterAll(async () => {
  authority.remove();
  await redis.stop();
  await rm(directory, { recursive: true });
});

describe('Redis with TLS, client certificates and a user of an ACL', () => {
  it('keeps sessions and entries for a user who may do no more than the documentation says', async () => {
    const { connection, said, check } = await openedRedis(good);
    try {
      expect(check).toBe('ok');
      const [store, entries] = [
        new RedisSessionStore({ connection, perSubject: 2, now: Date.now }),
        new RedisEntries({ connection, now: Date.now }),
      ];
      const startedAt = Date.now();
      for (const id of ['a', 'b', 'c']) {
        await store.insert(
          id,
          {
            id,
            kind: 'web',
            identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
            name: 'Ada',
            idToken: 'h.p.s',
            startedAt: startedAt + id.charCodeAt(0),
            expiresAt: startedAt + 600_000,
          },
          { isAdmin: false },
        );
      }
      await store.recordUses(new Map([['b', startedAt + 60_000]]));
      expect((await store.list()).map(({ id }) => id)).toEqual(['c', 'b']);
      expect((await store.removeById('b'))?.id).toBe('b');
      await entries.put('ticket', 'v', startedAt + 60_000, { id: 'ada', limit: 1 });
      expect([await entries.consume('login', startedAt + 60_000), await entries.take('ticket')]).toEqual([
        'first',
        'v',
      ]);
      expect(said).toEqual([]);
    } finally {
      await connection.close();
    }
  });

  it.each([
    ['without a client certificate', { cert: undefined, key: undefined }, /Redis at `127\.0\.0\.1:\d+` /],
    ['when its authority is not known', { ca: undefined }, /authority that is not trusted here/],
    ['with a wrong password', { url: 'rediss://service:canary@127.0.0.1:PORT' }, /refuses the user or password/],
  ])('is not used %s', async (_what, changes, words) => {
    const options = { ...good, ...changes };
    const { connection, said, check } = await openedRedis({
      ...options,
      url: options.url.replace('PORT', good.url.split(':').at(-1)!),
    });
    try {
      expect(check).toMatchObject({ code: 'session_store_unavailable' });
      expect(said[0]).toMatch(words);
      expect(said.join('\n')).not.toMatch(/canary|pass-word/);
    } finally {
      await connection.close();
    }
  });
});
