import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../../tests/support/cluster.ts';
import type { PostgresServer } from '../../tests/support/postgres-server.ts';
import { ask, type Answer } from './ask.ts';

const SCOPE = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] };
const BEFORE_MS = 3_000;
const AFTER_MS = 10_000;

export type FailoverFigures = {
  readonly made: number;
  readonly lost: number;
  readonly wrong: number;
  readonly databaseMs: number;
  readonly serviceMs: number;
};

/**
 * Kills the primary while keys are made, and promotes its standby.
 *
 * The database's own time is that from the kill until the standby takes a change. The service's is the longest time without a key that was made, on the instance that was slowest.
 */
export async function failOver(
  cluster: Cluster,
  admin: string,
  primary: PostgresServer,
  standby: PostgresServer,
): Promise<FailoverFigures> {
  const keys: string[] = [];
  let [wrong, serviceMs, isOver] = [0, 0, false];
  const expectNo401 = ({ status }: Answer) => void (wrong += status === 401 ? 1 : 0);
  const making = cluster.instances.map(async (instance) => {
    for (let last = performance.now(); !isOver;) {
      const answer = await ask(instance, admin, 'apiKey/create', { description: 'bench', scope: SCOPE });
      expectNo401(answer);
      if (answer.result === undefined) continue;
      keys.push(String(answer.result['credential']));
      serviceMs = Math.max(serviceMs, performance.now() - last);
      last = performance.now();
    }
  });
  await wait(BEFORE_MS);
  const killed = performance.now();
  await primary.kill();
  await standby.promote();
  while ((await standby.sql('CREATE TABLE after_failover ()').catch(() => undefined)) === undefined) await wait(20);
  const databaseMs = performance.now() - killed;
  await wait(AFTER_MS);
  isOver = true;
  await Promise.all(making);
  let lost = 0;
  for (const key of keys) if ((await ask(cluster.origin, key, 'session/get', {})).status !== 200) lost += 1;
  return { made: keys.length, lost, wrong, databaseMs, serviceMs };
}
