import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HttpTarget } from '../../src/audit/sink/http-target.ts';
import { SyslogTarget } from '../../src/audit/sink/syslog-target.ts';
import { inTime } from '../../src/bounds/in-time.ts';
import { lookup, lookupBeneath } from '../../src/bounds/lookup.ts';
import { ProviderFetch } from '../../src/signin/provider-fetch.ts';
import { PostgresDatabase } from '../../src/state/postgres-database.ts';
import { RedisServers } from '../../src/state/redis-servers.ts';
import { listBuckets } from '../../src/storage/buckets.ts';
import { Storage } from '../../src/storage/storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

/** Names that are being looked up, in order, and what answers each of them. */
const asked: { readonly host: string; readonly answer: Parameters<LookupFunction>[2] }[] = [];
const hosts = () => asked.map(({ host }) => host);
const UNANSWERED = Object.assign(new Error('no server answered'), { code: 'EAI_AGAIN' });
const ADDRESS = [{ address: '127.0.0.1', family: 4 }];

beforeEach(() => {
  const stub: LookupFunction = (host, _options, answer) => void asked.push({ host, answer });
  jest.spyOn(dns, 'lookup').mockImplementation(stub as never);
});
afterEach(async () => {
  // Those that wait for others begin when these have ended.
  while (asked.length > 0) {
    for (const { answer } of asked.splice(0)) answer(UNANSWERED, '');
    await setTimeout();
  }
  jest.restoreAllMocks();
});

const ask = (host: string) =>
  new Promise<unknown>((resolve) => lookup(host, { all: true }, (error, addresses) => resolve(error ?? addresses)));
/** Names of buckets beneath an endpoint, which people choose. */
const askBucket = (bucket: string, endpoint: string, waitMs = 60_000) =>
  new Promise<unknown>((resolve) =>
    lookupBeneath(endpoint, waitMs)(`${bucket}.${endpoint}`, { all: true }, (error, addresses) =>
      resolve(error ?? addresses),
    ),
  );

/** Storage that has to connect within this time. */
const storageWithin = (connectTimeoutMs: number, pathStyle = true) =>
  new Storage([
    {
      name: 'test',
      type: 's3',
      endpoint: 'http://storage.test',
      region: 'us-east-1',
      pathStyle,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      connectTimeoutMs,
      idleTimeoutMs: 60_000,
    },
  ]);

describe('looking up names', () => {
  it('asks once for all who want the same name meanwhile, and again for those who come later', async () => {
    const both = Promise.all([ask('a.test'), ask('a.test')]);
    await setTimeout();
    expect(hosts()).toEqual(['a.test']);
    asked.pop()!.answer(null, ADDRESS);
    expect(await both).toEqual([ADDRESS, ADDRESS]);
    void ask('a.test');
    await setTimeout();
    expect(hosts()).toEqual(['a.test']);
  });

  it('asks for names that failed one after another, so that others need not wait for them', async () => {
    const names = ['b.test', 'c.test', 'd.test'];
    const first = names.map(ask);
    await setTimeout();
    for (const { answer } of asked.splice(0)) answer(UNANSWERED, '');
    expect(await Promise.all(first)).toEqual(names.map(() => UNANSWERED));
    const again = names.map(ask);
    await setTimeout();
    const other = ask('e.test');
    await setTimeout();
    expect(hosts()).toEqual(['b.test', 'e.test']);
    asked.pop()!.answer(null, ADDRESS);
    expect(await other).toEqual(ADDRESS);
    for (const name of names) {
      await setTimeout();
      expect(hosts()).toEqual([name]);
      asked.pop()!.answer(null, ADDRESS);
    }
    expect(await Promise.all(again)).toEqual(names.map(() => ADDRESS));
    // None of them failed any more.
    for (const name of names) void ask(name);
    await setTimeout();
    expect(hosts()).toEqual(names);
  });

  it('asks first for the name that failed least often in a row, because it is probably back first', async () => {
    const answerAll = async (answer: string | null) => {
      await setTimeout();
      while (asked.length > 0) {
        for (const one of asked.splice(0)) one.answer(answer === null ? null : UNANSWERED, ADDRESS);
        await setTimeout();
      }
    };
    const dead = ['f.test', 'g.test', 'h.test'];
    for (const _ of [1, 2]) {
      for (const name of dead) void ask(name);
      await answerAll('no server answered');
    }
    void ask('i.test');
    await answerAll('no server answered');
    for (const name of dead) void ask(name);
    await setTimeout();
    void ask('i.test');
    expect(hosts()).toEqual(['f.test']);
    asked.pop()!.answer(UNANSWERED, '');
    await setTimeout();
    expect(hosts()).toEqual(['i.test']);
    await answerAll(null);
  });

  it('lets a name that failed very often wait no longer than those that failed often', async () => {
    const failOne = async () => {
      asked.shift()!.answer(UNANSWERED, '');
      await setTimeout();
    };
    for (const name of ['l.test', 'm.test', 'l.test', 'm.test', 'n.test', 'n.test', 'n.test', 'n.test']) {
      void ask(name);
      await setTimeout();
      await failOne();
    }
    for (const name of ['l.test', 'm.test', 'n.test']) void ask(name);
    await setTimeout();
    for (const name of ['l.test', 'm.test']) {
      expect(hosts()).toEqual([name]);
      await failOne();
      void ask(name);
    }
    expect(hosts()).toEqual(['n.test']);
  });

  it('asks for the names beneath an endpoint one after another, and lets no other name wait for all of them', async () => {
    const answerOne = async () => {
      asked.pop()?.answer(UNANSWERED, '');
      await setTimeout();
    };
    for (const _ of [1, 2]) {
      void ask('p.test');
      await setTimeout();
      await answerOne();
    }
    for (const i of [0, 1, 2, 3, 4]) void askBucket(`bucket-${i}`, 'o.test');
    await setTimeout();
    for (const i of [0, 1]) {
      expect(hosts()).toEqual([`bucket-${i}.o.test`]);
      await answerOne();
    }
    // Now both failed as often.
    void ask('p.test');
    await setTimeout();
    expect(hosts()).toEqual(['bucket-2.o.test']);
    await answerOne();
    expect(hosts()).toEqual(['p.test']);
  });

  it('asks no longer for a name beneath an endpoint for which nobody waits, which would keep others waiting when the name server is back', async () => {
    void askBucket('first', 'r.test');
    const left = ['one', 'two', 'again'].map((bucket) => askBucket(bucket, 'r.test', 1));
    await setTimeout(10);
    expect(hosts()).toEqual(['first.r.test']);
    const wanted = ['again', 'last'].map((bucket) => askBucket(bucket, 'r.test'));
    asked.pop()!.answer(UNANSWERED, '');
    for (const bucket of ['again', 'last']) {
      await setTimeout();
      expect(hosts()).toEqual([`${bucket}.r.test`]);
      asked.pop()!.answer(null, ADDRESS);
    }
    expect(await Promise.all(wanted)).toEqual([ADDRESS, ADDRESS]);
    expect(await Promise.all(left)).toMatchObject([{ code: 'EAI_AGAIN' }, { code: 'EAI_AGAIN' }, ADDRESS]);
  });

  it('counts the names of buckets in addresses of storage as names beneath its endpoint', async () => {
    const storage = storageWithin(60_000, false);
    const { s3 } = storage.providers.provider('test');
    const asks = ['one', 'two'].map((bucket) => s3.send({ method: 'HEAD', bucket }).catch(() => undefined));
    while (asked.length === 0) await setTimeout(1);
    await setTimeout(20);
    expect(hosts()).toEqual(['one.storage.test']);
    storage.close();
    asked.pop()!.answer(UNANSWERED, '');
    await Promise.all(asks);
  });

  it('answers with the error when a lookup cannot begin', async () => {
    const fault = new Error('the name is none');
    jest.spyOn(dns, 'lookup').mockImplementationOnce(() => {
      throw fault;
    });
    expect(await ask('q.test')).toBe(fault);
  });

  it('does not keep back names that servers say do not exist, which takes no time', async () => {
    const missing = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const names = ['j.test', 'k.test'];
    for (const _ of [1, 2]) {
      const both = names.map(ask);
      await setTimeout();
      expect(hosts()).toEqual(names);
      for (const { answer } of asked.splice(0)) answer(missing, '');
      expect(await Promise.all(both)).toEqual([missing, missing]);
    }
  });

  it.each<[string, () => { readonly use: () => Promise<unknown>; readonly close: () => unknown }]>([
    [
      'storage',
      () => {
        const storage = storageWithin(60_000);
        const provider = storage.providers.provider('test');
        return { use: () => listBuckets(withoutPolicy({ provider })), close: () => storage.close() };
      },
    ],
    [
      'the identity provider',
      () => {
        const http = new ProviderFetch({ connectMs: 60_000, totalMs: 60_000, maxBytes: 1 });
        return { use: () => http.redirect('https://identity.test/'), close: () => http.close() };
      },
    ],
    [
      'the identity provider, behind a proxy',
      () => {
        const proxy = { https: 'http://proxy.test', except: '' };
        const http = new ProviderFetch({ connectMs: 60_000, totalMs: 60_000, maxBytes: 1 }, { proxy });
        return { use: () => http.redirect('https://identity.test/'), close: () => http.close() };
      },
    ],
    [
      'a receiver of the audit',
      () => {
        const tls = { ca: undefined, cert: undefined, key: undefined };
        const target = new HttpTarget(
          { type: 'http', url: 'http://audit.test', headers: {}, tls, proxy: undefined },
          60_000,
        );
        return {
          use: () => target.send([Buffer.from('{}')], { instance: 'one', first: 1, last: 1 }),
          close: () => target.close(),
        };
      },
    ],
    [
      'a receiver of the audit by syslog',
      () => {
        const target = new SyslogTarget(
          { type: 'syslog', host: 'syslog.test', port: 1, tls: undefined, facility: 1 },
          60_000,
        );
        return {
          use: () => target.send([Buffer.from('{}')], { instance: 'one', first: 1, last: 1 }),
          close: () => target.close(),
        };
      },
    ],
    [
      'PostgreSQL',
      () => {
        const options = {
          servers: [{ host: 'postgres.test', port: 1 }],
          user: 'svc',
          password: undefined,
          passwordFile: undefined,
          database: 'svc',
          tls: undefined,
          poolSize: 5,
          connectTimeoutMs: 60_000,
          statementTimeoutMs: 60_000,
          warn: () => undefined,
        };
        const use = async () => (await PostgresDatabase.open(options)).close();
        return { use, close: () => undefined };
      },
    ],
    [
      'Redis',
      () => {
        const servers = new RedisServers({ url: 'redis://redis.test' });
        const use = async () => {
          const client = await servers.client();
          client.on('error', () => undefined);
          await client.connect().finally(() => client.destroy());
        };
        return { use, close: () => undefined };
      },
    ],
  ])('is done in this way for %s', async (_who, open) => {
    const { use, close } = open();
    const uses = [use(), use(), use()].map((each) => each.catch(() => undefined));
    while (asked.length === 0) await setTimeout(1);
    await setTimeout(20);
    expect(asked).toHaveLength(1);
    asked.pop()!.answer(UNANSWERED, '');
    await close();
    await Promise.all(uses);
  });

  it('is said to be what takes too long when it does', async () => {
    const storage = storageWithin(1);
    const provider = storage.providers.provider('test');
    await expect(listBuckets(withoutPolicy({ provider }))).rejects.toMatchObject({
      detail:
        'storage provider `test` has an address that cannot be looked up now; check the name service and `endpoint`',
    });
    storage.close();
    const http = new ProviderFetch({ connectMs: 1, totalMs: 60_000, maxBytes: 1 });
    await expect(http.redirect('https://identity.test/')).rejects.toMatchObject({
      detail: expect.stringContaining('its host name does not resolve (EAI_AGAIN)'),
    });
    await http.close();
  });

  it('is not said to be what takes too long when only that for a later connection does', async () => {
    const connect = inTime(({ hostname }) => void ask(hostname), 1_000);
    const late = new Promise<unknown>((resolve) =>
      connect({ hostname: 'later.test', protocol: 'http:', port: '80' }, (...[error]) => resolve(error)),
    );
    await setTimeout();
    asked.pop()!.answer(null, ADDRESS);
    await setTimeout();
    void ask('later.test');
    expect(await late).toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
  });
});
