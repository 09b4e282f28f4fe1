import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getCACertificates } from 'node:tls';
import { openedRedis } from '../../support/opened-redis.ts';
import { PrivateAuthority, startTlsFront, type TlsFront } from '../../support/private-authority.ts';
import { RedisServer } from '../../support/redis-server.ts';

let redis: RedisServer;
let authority: PrivateAuthority;
let front: TlsFront;

beforeAll(async () => {
  redis = await RedisServer.start();
  authority = new PrivateAuthority();
  front = await startTlsFront(redis.url, authority.issue());
});
afterAll(async () => {
  authority.remove();
  await front.close();
  await redis.stop();
});

describe('RedisConnection over TLS with a private authority', () => {
  it.each([true, false])('is made only when the authority is trusted: %s', async (trusted) => {
    const ca = [...getCACertificates('default'), ...(trusted ? [authority.certificate] : [])];
    const { connection, said, check } = await openedRedis({ url: `rediss://127.0.0.1:${front.port}`, ca });
    try {
      expect(check).toEqual(trusted ? 'ok' : expect.objectContaining({ code: 'session_store_unavailable' }));
      expect(said).toEqual(
        trusted
          ? []
          : [
              expect.stringMatching(
                /authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\); set `auth\.session\.tls\.ca_file` to a file/,
              ),
            ],
      );
    } finally {
      await connection.close();
    }
  });
});
