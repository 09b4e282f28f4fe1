import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '../../src/access/caller.ts';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { ApiKeys } from '../../src/apikey/api-keys.ts';
import { listEverybodysApiKeys, revokeApiKeysOfPerson } from '../../src/operation/api-keys.ts';
import { StateDatabase } from '../../src/state/database.ts';
import type { OperationInput } from '../../src/wire/operations.ts';
import { Clock } from '../support/clock.ts';

const MANY = 2_000;
const ISSUER = 'https://id.example';
const ODD = ['<script>alert(1)</script>', 'invoice\u202Efdp.exe', 'x'.repeat(512), 'ADA'];
const SCOPE = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;

let directory: string;
let clock: Clock;
let database: StateDatabase;
let apiKeys: ApiKeys;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-state-'));
  clock = new Clock();
  database = StateDatabase.open(join(directory, 'state.db'));
  apiKeys = new ApiKeys({
    store: new SqliteKeyStore(database, API_KEYS),
    capacity: 2 * MANY,
    perSubject: 64,
    now: clock.now,
  });
});
afterEach(async () => {
  await apiKeys.close();
  database.close();
  await rm(directory, { recursive: true });
});

function create(subject: string, issuer = ISSUER) {
  return apiKeys.create(
    { description: `of ${subject.length}`, scope: SCOPE, expiresAt: null },
    { identity: { issuer, subject, groups: [] }, name: 'Name', isAdmin: false },
  );
}

async function list(input: OperationInput<'apiKey/listAll'>) {
  return listEverybodysApiKeys.run({ input, services: { apiKeys } } as never);
}

describe('apiKey/listAll', () => {
  it('gives two thousand keys in pages of a hundred at most, each once, and no secret', async () => {
    const insert = database.prepare(
      `INSERT INTO api_keys (id, verifier, revision, description, scope, expires_at, creator_issuer, creator_subject, creator_groups, creator_name, created_at)
       VALUES (?, x'5ec2e7', 1, 'many', ?, NULL, '${ISSUER}', ?, '[]', 'Name', ?)`,
    );
    await database.write(() => {
      for (let i = 0; i < MANY; i += 1) insert.run(`key-${i}`, JSON.stringify(SCOPE), `user-${i}`, Math.floor(i / 7));
    });
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const answer = await list({ ...(cursor !== undefined && { cursor }) });
      expect([answer.keys.length, answer.total]).toEqual([100, MANY]);
      seen.push(...answer.keys.map(({ id }) => id));
      if (answer.nextCursor === null) break;
      cursor = answer.nextCursor;
    }
    expect([seen.length, new Set(seen).size, seen[0]]).toEqual([MANY, MANY, 'key-1995']);
    expect(await list({ person: 'USER-199', limit: 3 })).toMatchObject({
      total: 11,
      keys: [{ id: 'key-1995' }, { id: 'key-1996' }, { id: 'key-1997' }],
    });
  });

  it('tells whose each is, when it was made and last used, and never a secret', async () => {
    for (const subject of ODD) await create(subject);
    const { credential, key } = await create('ada');
    clock.advance(60_000);
    await apiKeys.authenticate(credential);
    const answer = await list({});
    expect(answer.keys.find(({ id }) => id === key.id)).toEqual({
      id: key.id,
      description: 'of 3',
      scope: SCOPE,
      expiresAt: null,
      creator: { issuer: ISSUER, subject: 'ada', groups: [], name: 'Name' },
      createdAt: new Date(key.createdAt).toISOString(),
      rotatedAt: null,
      lastUsedAt: new Date(clock.now()).toISOString(),
    });
    expect(JSON.stringify(answer)).not.toContain(credential.slice(32));
    for (const subject of ODD)
      expect((await list({ person: subject })).keys.some(({ creator }) => creator.subject === subject)).toBe(true);
  });
});

describe('apiKey/revokeAll', () => {
  it('revokes the keys of one person, to the letter', async () => {
    const [one, two] = [await create('ada'), await create('ada')];
    const others = [await create('ADA'), await create('ada', 'https://elsewhere.example')];
    const did: unknown[] = [];
    const trail = { did: (...given: unknown[]) => void did.push(given) };
    const answer = await revokeApiKeysOfPerson.run({
      input: { issuer: ISSUER, subject: 'ada' },
      caller: { ...ANONYMOUS, isAdmin: true },
      services: { apiKeys },
      trail,
    } as never);
    expect(answer).toEqual({ revoked: 2 });
    expect(did).toHaveLength(2);
    for (const { credential } of [one, two]) expect(await apiKeys.authenticate(credential)).toBeUndefined();
    for (const { credential } of others) expect(await apiKeys.authenticate(credential)).toBeDefined();
  });
});
