import { afterEach, describe, expect, it } from '@jest/globals';
import { openedRedis, type OpenedRedis } from '../../support/opened-redis.ts';
import { RedisServer } from '../../support/redis-server.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function running(server: Promise<RedisServer>): Promise<RedisServer> {
  const started = await server;
  closers.push(() => started.stop());
  return started;
}

/** What is said when it is opened, and how its check ends. */
async function opened(url: string): Promise<Omit<OpenedRedis, 'connection'>> {
  const { connection, ...rest } = await openedRedis({ url });
  closers.push(() => connection.close());
  return rest;
}

const FAILED = { code: 'session_store_unavailable' };

describe('RedisConnection.open', () => {
  it('says nothing about a server that keeps values', async () => {
    const redis = await running(RedisServer.start());
    expect(await opened(redis.url)).toEqual({ said: [], check: 'ok' });
  });

  it('says that nobody is there', async () => {
    const redis = await running(RedisServer.start());
    await redis.kill();
    const { said, check } = await opened(redis.url);
    expect(check).toMatchObject(FAILED);
    expect(said).toEqual([
      `Redis at \`127.0.0.1:${redis.port}\` refuses the connection; check that it runs, and \`auth.session.url\``,
    ]);
  });

  it.each(['', ':canary@', 'canary:canary@'])(
    'says that the password is wrong, without it: `%s`',
    async (credentials) => {
      const redis = await running(RedisServer.start());
      await redis.requirePassword('right');
      const { said, check } = await opened(redis.url.replace('://', `://${credentials}`));
      expect(check).toMatchObject(FAILED);
      expect(said[0]).toBe(
        `Redis at \`127.0.0.1:${redis.port}\` refuses the user or password; check \`auth.session.url\``,
      );
    },
  );

  it('says that it is a node of a Cluster, also when that holds every key', async () => {
    const redis = await running(RedisServer.startClusterNode());
    const { said, check } = await opened(redis.url);
    expect(check).toMatchObject(FAILED);
    expect(said).toEqual([expect.stringContaining('is a node of a Redis Cluster')]);
  });

  it('says that it is no server that keeps values, such as a Sentinel', async () => {
    const redis = await running(RedisServer.startSentinel());
    const { said, check } = await opened(redis.url);
    expect(check).toMatchObject(FAILED);
    expect(said).toEqual([expect.stringContaining('if it is a Sentinel')]);
  });
});
