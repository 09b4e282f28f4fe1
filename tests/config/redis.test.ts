import { afterAll, describe, expect, it } from '@jest/globals';
import { WrittenConfig } from './written-config.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

const withSession = (session: object) => ({
  providers: [{ name: 'main', endpoint: 'https://s3.example.com' }],
  auth: { enabled: true, local_users: [{ subject: 'dev', roles: [] }], session: { type: 'redis', ...session } },
});
const redisOf = (session: object) => written.load(withSession(session)).settings?.auth.session.redis;

describe('`auth.session` of the type `redis`', () => {
  it('names one server, Sentinels, or nodes of a Cluster', () => {
    const none = { ca: undefined, cert: undefined, key: undefined };
    expect(redisOf({ url: 'rediss://user:pass@redis.example:6379/3' })).toEqual({
      ...none,
      url: 'rediss://user:pass@redis.example:6379/3',
      sentinel: undefined,
      cluster: false,
    });
    expect(redisOf({ url: 'redis://a:26379,b,[::1]:26379', sentinel: { name: 'main', password: 'p' } })).toEqual({
      ...none,
      url: 'redis://a:26379,b,[::1]:26379',
      sentinel: { name: 'main', username: undefined, password: 'p' },
      cluster: false,
    });
    expect(redisOf({ url: 'redis://u:p@a:7000,b:7001', cluster: true })).toMatchObject({ cluster: true });
  });

  it.each([
    [{ url: 'redis://u:canary-secret@a,b' }, 'auth.session.url: names several hosts'],
    [{ url: 'redis://a:99999' }, 'auth.session.url: must be a `redis://`'],
    [{ url: 'redis://u:%@a' }, 'auth.session.url: must be a `redis://`'],
    [{ url: 'redis://a?db=1' }, 'auth.session.url: must be a `redis://`'],
    [{ url: 'redis://a/2', cluster: true }, 'auth.session.url: names a database'],
    [{ url: 'redis://a', cluster: true, sentinel: { name: 'm' } }, 'auth.session.cluster: goes without'],
    [{ type: 'memory', cluster: true }, 'auth.session.cluster: goes with `auth.session.url`'],
    [{ type: 'memory', sentinel: { name: 'm' } }, 'auth.session.sentinel: goes with `auth.session.url`'],
  ])('%j is a fault', (session, fault) => {
    const faults = written.faults(withSession(session)).join('\n');
    expect(faults).toContain(fault);
    expect(faults).not.toContain('canary-secret');
  });
});
