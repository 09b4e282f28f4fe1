import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_KEYS } from '../../../src/apikey/api-key.ts';
import { SqliteKeyStore } from '../../../src/key/sqlite-store.ts';
import { ApiKeys } from '../../../src/apikey/api-keys.ts';
import { SqliteSessionStore } from '../../../src/session/sqlite-store.ts';
import { Sessions } from '../../../src/session/sessions.ts';
import { StateDatabase } from '../../../src/state/database.ts';
import { openPostgresKeys } from '../../apikey/open-keys.ts';
import { until } from '../../audit/support/until.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { PostgresServer, urlOf } from '../../support/postgres-server.ts';
import { Machine } from '../../cli/svc-process.ts';

const SESSIONS = 1_203;
const IN_USE =
  'warning: another process, such as the running service, uses the first database: what it changes from now on is not copied\n';
const SECRET = { SVC_SESSION_SECRET: 'a-session-secret-of-enough-bytes-for-tests' };
const ADA = {
  identity: { issuer: 'https://id.example', subject: 'ada', groups: ['Ärzte', 'a"b\\c'] },
  name: 'Ada 🦊',
  isAdmin: false,
};

let machine: Machine;
let database: StateDatabase;
let sessions: Sessions;
let credential: string;

const at = (name: string) => join(machine.home, name);
const svc = (...args: string[]) => machine.start(['state', ...args], SECRET).ended;
/** A configuration of this name with the state. */
const configured = async (name: string, state: object) => {
  await writeFile(at(name), JSON.stringify({ providers: [], state }));
  return at(name);
};

beforeAll(async () => {
  machine = await Machine.make();
  await configured('sqlite.yaml', { path: 'state.db' });
  database = StateDatabase.open(at('state.db'));
  sessions = new Sessions({
    store: new SqliteSessionStore({ database, capacity: 10_000, perSubject: 10_000, now: Date.now }),
    ttlSeconds: 600,
    isAdmin: () => false,
    now: Date.now,
  });
  const keys = new ApiKeys({
    store: new SqliteKeyStore(database, API_KEYS),
    capacity: 10,
    perSubject: 10,
    now: Date.now,
  });
  for (let i = 0; i < SESSIONS; i += 1)
    await sessions.start({
      kind: 'web',
      ...ADA,
      idToken: `token ${i}`,
      address: i % 2 === 0 ? '2001:db8::7' : undefined,
    });
  ({ credential } = await keys.create(
    {
      description: 'nightly',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
      expiresAt: null,
    },
    ADA,
  ));
});
afterAll(async () => {
  database.close();
  await machine.remove();
});

describe('svc state', () => {
  it('sums a state up, and makes none where there is none', async () => {
    const checked = await svc('check', '--config', at('sqlite.yaml'));
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(checked.stdout).toMatch(
      new RegExp(
        `^sessions: ${SESSIONS} rows, SHA-256 [0-9a-f]{64}\napi_keys: 1 rows, SHA-256 [0-9a-f]{64}\ns3_keys: 0 rows, SHA-256 [0-9a-f]{64}\nsuspensions: 0 rows, SHA-256 [0-9a-f]{64}\nkept_places: 0 rows, SHA-256 [0-9a-f]{64}\n$`,
      ),
    );
    const nothing = await configured('nothing.yaml', { path: 'nothing.db' });
    expect(await svc('check', '--config', nothing)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no file'),
    });
    expect(existsSync(at('nothing.db'))).toBe(false);
  });

  it('writes an encrypted dump that only its passphrase opens, and whose every byte counts', async () => {
    await writeFile(at('passphrase'), 'correct horse\n');
    await writeFile(at('wrong'), 'battery staple\n');
    const exported = await svc(
      'export',
      '--config',
      at('sqlite.yaml'),
      '--passphrase-file',
      at('passphrase'),
      at('sealed'),
    );
    expect(exported.status).toBe(0);
    expect(statSync(at('sealed')).mode & 0o777).toBe(0o600);
    const sealed = await readFile(at('sealed'));
    expect(sealed.includes('id.example')).toBe(false);
    const restored = await configured('restored.yaml', { path: 'restored.db' });
    for (const [name, passphrase, words] of [
      ['sealed', 'wrong', 'another passphrase'],
      ['sealed', undefined, 'is sealed'],
      ['cut', 'passphrase', 'dump'],
      ['changed', 'passphrase', 'dump'],
    ] as const) {
      const bytes = Buffer.from(sealed);
      if (name === 'changed') bytes[bytes.length >> 1]! ^= 1;
      await writeFile(at(name), name === 'cut' ? bytes.subarray(0, -100) : bytes);
      const refused = await svc(
        'import',
        '--config',
        restored,
        ...(passphrase === undefined ? [] : ['--passphrase-file', at(passphrase)]),
        at(name),
      );
      expect([name, refused]).toEqual([name, { status: 1, stdout: '', stderr: expect.stringContaining(words) }]);
      expect(refused.stderr).not.toContain('    at ');
    }
    const imported = await svc('import', '--config', restored, '--passphrase-file', at('passphrase'), at('sealed'));
    expect(imported).toEqual({ status: 0, stdout: exported.stdout, stderr: '' });
    expect(
      await svc('import', '--config', restored, '--passphrase-file', at('passphrase'), at('sealed')),
    ).toMatchObject({ status: 1, stderr: expect.stringContaining('name an empty one') });
  });

  it("writes a plain dump to a file of one's own or a pipe, never over a file and never to a terminal", async () => {
    const exported = await svc('export', '--config', at('sqlite.yaml'), at('plain'));
    expect([exported.status, statSync(at('plain')).mode & 0o777]).toEqual([0, 0o600]);
    expect((await svc('export', '--config', at('sqlite.yaml'))).stdout).toBe(await readFile(at('plain'), 'utf8'));
    expect((await svc('export', '--config', at('sqlite.yaml'), at('plain'))).status).toBe(1);
    const { status, screen } = await machine.onTerminal(['state', 'export', '--config', at('sqlite.yaml')]);
    expect([status, screen]).toEqual([2, expect.stringContaining('not written to a terminal')]);
    expect(screen).not.toContain('id.example');
    const lines = (await readFile(at('plain'), 'utf8')).split('\n');
    await writeFile(at('less'), lines.filter((_line, i) => i !== 1).join('\n'));
    const lessened = await configured('lessened.yaml', { path: 'lessened.db' });
    expect(await svc('import', '--config', lessened, at('less'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not give what it promises of `sessions`'),
    });
    expect((await svc('check', '--config', lessened)).stdout).toContain('sessions: 0 rows');
    execFileSync('mkfifo', [at('pipe')]);
    const [piped] = await Promise.all([
      svc('import', '--config', lessened, at('pipe')),
      writeFile(at('pipe'), 'x').catch(() => undefined),
    ]);
    expect(piped).toMatchObject({ status: 1, stderr: expect.stringContaining('this is a pipe') });
  });

  it('warns of a database that a running service uses, and copies it all the same', async () => {
    const beside = await configured('beside.yaml', { path: 'beside.db' });
    expect(await svc('migrate', '--from', at('sqlite.yaml'), '--to', beside)).toEqual({
      status: 0,
      stdout: (await svc('check', '--config', beside)).stdout,
      stderr: IN_USE,
    });
    const further = await configured('further.yaml', { path: 'further.db' });
    expect(await svc('migrate', '--from', beside, '--to', further)).toMatchObject({ status: 0, stderr: '' });
  });

  it('copies a state that is written to all the time, and the copy stands in for it', async () => {
    const done = new AbortController();
    const writing = (async () => {
      while (!done.signal.aborted) {
        await sessions.start({ kind: 'web', ...ADA, idToken: '', address: undefined });
        await turn();
      }
    })();
    const copied = await svc('backup', '--config', at('sqlite.yaml'), at('copy.db'));
    done.abort();
    await writing;
    expect(copied).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
    await copyFile(at('copy.db'), at('in-place.db'));
    expect((await svc('check', '--config', await configured('in-place.yaml', { path: 'in-place.db' }))).stdout).toBe(
      copied.stdout,
    );
    expect((await svc('backup', '--config', at('sqlite.yaml'), at('copy.db'))).status).toBe(1);
  });

  describePostgres('on PostgreSQL', () => {
    let postgres: PostgresServer;

    beforeAll(async () => {
      postgres = await PostgresServer.start();
    });
    afterAll(() => postgres.stop());

    it('moves from SQLite to PostgreSQL and back with the same sums, and the keys work there', async () => {
      const options = await postgres.database();
      const other = await configured('postgres.yaml', { url: urlOf(options) });
      const before = (await svc('check', '--config', at('sqlite.yaml'))).stdout;
      // Otherwise it would be used as by a running service.
      database.close();
      expect(await svc('migrate', '--from', at('sqlite.yaml'), '--to', other)).toEqual({
        status: 0,
        stdout: before,
        stderr: '',
      });
      expect((await svc('check', '--config', other)).stdout).toBe(before);
      const { keys, close } = await openPostgresKeys(options);
      expect((await keys.authenticate(credential))?.creator).toEqual({ ...ADA.identity, name: ADA.name });
      await until(
        async () =>
          (await postgres.sql("SELECT 1 FROM pg_stat_activity WHERE application_name = 'svc listening'")).length > 0,
        'a connection that hears of changes',
      );
      expect(
        await svc(
          'migrate',
          '--from',
          other,
          '--to',
          await configured('beside-postgres.yaml', { path: 'beside-postgres.db' }),
        ),
      ).toMatchObject({ status: 0, stderr: IN_USE });
      await close();
      const back = await configured('back.yaml', { path: 'back.db' });
      expect(await svc('migrate', '--from', other, '--to', back)).toEqual({
        status: 0,
        stdout: (await svc('check', '--config', other)).stdout,
        stderr: '',
      });
      expect(await svc('migrate', '--from', back, '--to', other)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('name an empty one'),
      });
      expect(await svc('backup', '--config', other, at('of-postgres'))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('pg_dump'),
      });
      // As many as there are rows, so that limits hold.
      expect(await postgres.sql('SELECT name, count::int FROM svc.tallies ORDER BY name', options.database)).toEqual([
        { name: 'api_keys', count: 1 },
        { name: 's3_keys', count: 0 },
        { name: 'sessions', count: expect.any(Number) },
      ]);
    });

    it('says why PostgreSQL cannot be used', async () => {
      const options = await postgres.database({ password: 'canary' });
      const refused = await svc('check', '--config', await configured('refused.yaml', { url: urlOf(options) }));
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('refuses the user or password') });
      expect(refused.stderr).not.toContain('canary');
    });

    it('says on one line why PostgreSQL cannot be used, also if it came back and went again', async () => {
      const options = await postgres.database();
      const target = options.servers[0]!;
      let connections = 0;
      // It refuses the first connection, and cuts the second one when the migrations are done.
      const between = createServer((client) => {
        connections += 1;
        if (connections === 1) return void client.destroy();
        const server = connect(target);
        for (const socket of [client, server]) socket.on('error', () => undefined);
        client.on('data', (bytes) => {
          if (bytes.includes('SET TRANSACTION ISOLATION')) client.destroy();
          else server.write(bytes);
        });
        client.on('close', () => server.destroy());
        server.pipe(client);
      });
      await new Promise<void>((resolve) => void between.listen(0, '127.0.0.1', resolve));
      const port = (between.address() as AddressInfo).port;
      const url = urlOf({ ...options, servers: [{ host: '127.0.0.1', port }] });
      const { status, stderr } = await svc('check', '--config', await configured('between.yaml', { url }));
      between.close();
      const why = `PostgreSQL at \`127.0.0.1:${port}\` cannot be used \\((?:Connection terminated unexpectedly|read ECONNRESET)\\)`;
      expect([status, connections, stderr]).toEqual([1, 2, expect.stringMatching(`${why}; ${why}`)]);
    });
  });
});
