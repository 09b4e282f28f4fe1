import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresRecentTexts } from '../../../src/state/postgres-recent-texts.ts';
import { RedisRecentTexts } from '../../../src/state/redis-recent-texts.ts';
import { PostgresCounts } from '../../../src/state/postgres-counts.ts';
import { PostgresEntries } from '../../../src/state/postgres-entries.ts';
import type { PostgresOptions } from '../../../src/state/postgres-database.ts';
import type { RedisConnection } from '../../../src/state/redis-connection.ts';
import { RedisCounts } from '../../../src/state/redis-counts.ts';
import { RedisEntries } from '../../../src/state/redis-entries.ts';
import { countsContract } from '../../contract/counts.ts';
import { recentTextsContract } from '../../contract/recent-texts.ts';
import { expiringEntriesContract } from '../../contract/expiring-entries.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { openPostgres, PostgresServer, type OpenPostgres } from '../../support/postgres-server.ts';
import { openedRedis } from '../../support/opened-redis.ts';
import { RedisServer } from '../../support/redis-server.ts';

let redis: RedisServer;
let connection: RedisConnection;

beforeAll(async () => {
  redis = await RedisServer.start();
  ({ connection } = await openedRedis({ url: redis.url }));
});

afterAll(async () => {
  await connection.close();
  await redis.stop();
});

expiringEntriesContract('RedisEntries', async ({ now }) => ({
  entries: new RedisEntries({ connection, now }),
  close: () => redis.empty(),
}));

recentTextsContract('RedisRecentTexts', async () => ({
  texts: new RedisRecentTexts(connection),
  close: () => redis.empty(),
}));

countsContract('RedisCounts', (now) => [new RedisCounts({ connection, now }), new RedisCounts({ connection, now })]);

describePostgres('on PostgreSQL', () => {
  let postgres: PostgresServer;
  let options: PostgresOptions;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    options = await postgres.database();
  });
  afterAll(() => postgres.stop());

  expiringEntriesContract('PostgresEntries', async ({ now }) => {
    const { database, close } = await openPostgres(options);
    const entries = new PostgresEntries({ database, now });
    return {
      entries,
      close: async () => {
        entries.close();
        await close();
        await postgres.empty(options);
      },
    };
  });

  recentTextsContract('PostgresRecentTexts', async () => {
    const { database, close } = await openPostgres(options);
    return {
      texts: new PostgresRecentTexts(database),
      close: async () => {
        await close();
        await postgres.sql('DELETE FROM svc.recent', options.database);
      },
    };
  });

  describe('counts', () => {
    let instances: readonly OpenPostgres[];

    beforeAll(async () => {
      instances = [await openPostgres(options), await openPostgres(options)];
    });
    afterAll(() => Promise.all(instances.map(({ close }) => close())));

    countsContract('PostgresCounts', (now) => [
      new PostgresCounts({ database: instances[0]!.database, now }),
      new PostgresCounts({ database: instances[1]!.database, now }),
    ]);
  });
});

describe('RedisEntries on two instances', () => {
  let other: RedisConnection;

  beforeAll(async () => {
    ({ connection: other } = await openedRedis({ url: redis.url }));
  });

  afterAll(() => other.close());

  it('gives an entry to one of them', async () => {
    const here = new RedisEntries({ connection, now: Date.now });
    const there = new RedisEntries({ connection: other, now: Date.now });
    await here.put('id', 'v', Date.now() + 60_000);
    const takes = await Promise.all([here, there, here, there].map((entries) => entries.take('id')));
    expect(takes.filter((value) => value === 'v')).toHaveLength(1);
    const uses = await Promise.all(
      [here, there, here, there].map((entries) => entries.consume('id', Date.now() + 60_000)),
    );
    expect(uses.filter((outcome) => outcome === 'first')).toHaveLength(1);
  });
});
