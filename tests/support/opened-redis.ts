import { setTimeout as wait } from 'node:timers/promises';
import { RedisConnection, type RedisConnectionOptions } from '../../src/state/redis-connection.ts';

const LOOKS = 100;
const LOOK_MS = 50;

export type OpenedRedis = {
  readonly connection: RedisConnection;
  /** The warnings. */
  readonly said: readonly string[];
  /** What comes of its check: `ok`, or the error. */
  readonly check: unknown;
};

/** Opens a connection to Redis until it can be used, or until the reason why it cannot is told. On a busy machine the server answers later than the service waits for it. */
export async function openedRedis(options: Omit<RedisConnectionOptions, 'warn'>): Promise<OpenedRedis> {
  for (;;) {
    const said: string[] = [];
    const connection = await RedisConnection.open({ ...options, warn: (message) => void said.push(message) });
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const check = await connection.check().then(
        () => 'ok',
        (error: unknown) => error,
      );
      const isLate = said.some((message) => message.includes('did not greet'));
      if (!isLate && (check === 'ok' || said.length > 0)) return { connection, said, check };
      if (isLate) break;
      await wait(LOOK_MS);
    }
    await connection.close();
  }
}
