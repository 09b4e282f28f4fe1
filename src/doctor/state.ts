import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PostgresSettings, Settings, StateSettings } from '../config/read/settings.ts';
import { SvcError } from '../errors/svc-error.ts';
import { RedisConnection } from '../state/redis-connection.ts';
import { PostgresDatabase } from '../state/postgres-database.ts';
import { StateDatabase } from '../state/database.ts';
import { examineDisk } from './disk.ts';
import type { Findings } from './finding.ts';

/** Opens an existing state database like the service does, which upgrades it to the current version. A missing file is not created. */
export async function examineState(state: StateSettings, findings: Findings): Promise<void> {
  if (state.type === 'sqlite') await examineFile(state.path, findings);
  else await examinePostgres(state, findings);
}

async function examinePostgres(settings: PostgresSettings, findings: Findings): Promise<void> {
  const said: string[] = [];
  await findings.try(async () => {
    const database = await PostgresDatabase.open({ ...settings, warn: (message) => void said.push(message) });
    try {
      await database.check();
      findings.ok('PostgreSQL is writable');
    } catch (error) {
      findings.fail(said.at(-1) ?? String(error));
    } finally {
      await database.close();
    }
  }, 'PostgreSQL');
}

async function examineFile(path: string, findings: Findings): Promise<void> {
  const folder = dirname(path);
  await findings.try(async () => {
    if (existsSync(path)) {
      const state = StateDatabase.open(path);
      try {
        await state.check();
      } finally {
        state.close();
      }
      findings.ok(`${path} can be read and written`);
      return;
    }
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new SvcError('state_unavailable', {
        detail: `state.path: \`${path}\` does not exist and cannot be created; create its folder, and let the service write to it`,
        cause,
      });
    }
    findings.ok(`${path} will be created at the first start`);
  }, path);
  if (existsSync(folder)) examineDisk(folder, 'sign-ins and keys fail when it is full', findings);
}

export async function examineSessionStore({ auth: { session } }: Settings, findings: Findings): Promise<void> {
  if (session.redis === undefined) {
    if (session.type === 'memory')
      findings.warn(
        'sessions are kept in memory: a restart signs everybody out, and a second instance does not know them',
      );
    return;
  }
  const said: string[] = [];
  const connection = await RedisConnection.open({ ...session.redis, warn: (message) => void said.push(message) });
  try {
    await connection.check();
    findings.ok('Redis is writable and delivers messages');
  } catch (error) {
    findings.fail(said.at(-1) ?? String(error));
  } finally {
    await connection.close();
  }
}
