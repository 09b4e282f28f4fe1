import { afterAll, beforeAll } from '@jest/globals';
import { RedisSessionStore } from '../../../src/session/redis-store.ts';
import { PostgresSessionStore } from '../../../src/session/postgres-store.ts';
import type { PostgresOptions } from '../../../src/state/postgres-database.ts';
import type { RedisConnection } from '../../../src/state/redis-connection.ts';
import { sessionStoreContract } from '../../contract/session-store.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { openPostgres, PostgresServer } from '../../support/postgres-server.ts';
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

sessionStoreContract({
  name: 'RedisSessionStore',
  isBounded: false,
  open: async ({ perSubject, now }) => ({
    store: new RedisSessionStore({ connection, perSubject, now }),
    close: () => redis.empty(),
  }),
});

describePostgres('on PostgreSQL', () => {
  let postgres: PostgresServer;
  let options: PostgresOptions;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    options = await postgres.database();
  });
  afterAll(() => postgres.stop());

  sessionStoreContract({
    name: 'PostgresSessionStore',
    isBounded: true,
    open: async (limits) => {
      const { database, changes, close } = await openPostgres(options);
      return {
        store: new PostgresSessionStore({ database, changes, ...limits }),
        close: async () => {
          await close();
          await postgres.empty(options);
        },
      };
    },
  });
});
