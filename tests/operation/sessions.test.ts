import { beforeEach, describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '../../src/access/caller.ts';
import { audited } from '../../src/audit/audited.ts';
import type { Audit, AuditRecord } from '../../src/audit/record.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { listSessions, revokeSessionsOfPerson } from '../../src/operation/sessions.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import { Sessions } from '../../src/session/sessions.ts';
import type { OperationInput } from '../../src/wire/operations.ts';
import { Clock } from '../support/clock.ts';

const MANY = 10_000;
const ODD = ['<script>alert(1)</script>', 'invoice\u202Efdp.exe', 'x'.repeat(512), ' ', '{"a":1}', 'ADA'];

let clock: Clock;
let sessions: Sessions;

beforeEach(() => {
  clock = new Clock();
  sessions = new Sessions({
    store: new MemorySessionStore({ capacity: 2 * MANY, perSubject: MANY, now: clock.now }),
    ttlSeconds: 3_600,
    isAdmin: () => false,
    now: clock.now,
  });
});

function start(subject: string, name = subject, groups: readonly string[] = ['staff']) {
  return sessions.start({
    kind: 'web',
    identity: { issuer: 'https://id.example', subject, groups },
    name,
    idToken: 'h.p.s',
    address: '2001:db8::7',
  });
}

async function list(input: OperationInput<'session/list'>, credentialId = '') {
  return listSessions.run({ input, caller: { ...ANONYMOUS, credentialId }, services: { sessions } } as never);
}

describe('session/revokeAll', () => {
  it('that fails in between says of each session that it ended that it did', async () => {
    for (let i = 0; i < 3; i += 1) await start('ada');
    const records: AuditRecord[] = [];
    const audit: Audit = {
      reads: 'content',
      ready: () => undefined,
      intend: () => undefined,
      write: (record) => void records.push(record),
    };
    let ends = 0;
    const failing = {
      list: () => sessions.list(),
      endById: (id: string) =>
        (ends += 1) > 2
          ? Promise.reject(new SvcError('session_store_unavailable', { detail: 'it is away' }))
          : sessions.endById(id),
    };
    const origin = { requestId: 'r', address: undefined, face: 'http' } as const;
    const revoked = audited(audit, 'session/revokeAll', origin, async (trail) =>
      revokeSessionsOfPerson.run({
        input: { issuer: 'https://id.example', subject: 'ada' },
        services: { sessions: failing },
        trail,
      } as never),
    );
    await expect(revoked).rejects.toMatchObject({ code: 'session_store_unavailable' });
    expect(records).toMatchObject([
      {
        outcome: 'failed',
        why: 'session_store_unavailable',
        resources: [{ outcome: 'done', of: { subject: 'ada' } }, { outcome: 'done' }],
      },
    ]);
  });
});

describe('session/list', () => {
  it('gives ten thousand sessions in pages, each once, though some begin and end meanwhile', async () => {
    for (let i = 0; i < MANY; i += 1) {
      // Several begin in one millisecond.
      if (i % 7 === 0) clock.advance(1);
      await start(`user-${i}`);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 11; pages += 1) {
      const answer = await list({ ...(cursor !== undefined && { cursor }) });
      expect([answer.sessions.length, answer.total]).toEqual([1_000, MANY]);
      seen.push(...answer.sessions.map(({ subject }) => subject));
      if (answer.nextCursor === null) break;
      cursor = answer.nextCursor;
      await sessions.endById(answer.sessions.at(-1)!.id);
      clock.advance(1);
      await start('came later');
    }
    expect(seen).toHaveLength(MANY);
    expect(new Set(seen).size).toBe(MANY);
    // None of these is at the end of a page, where one is ended.
    expect(
      (await list({ limit: 3, person: 'USER-955' })).sessions
        .map(({ subject }) => subject)
        .every((subject) => subject.startsWith('user-955')),
    ).toBe(true);
    expect(await list({ person: 'user-955', limit: 3 })).toMatchObject({ total: 11 });
  });

  it('gives fewer at once when they have many groups, and still each once', async () => {
    const groups = Array.from({ length: 5_000 }, (_, i) => `CN=department-${i},OU=groups,DC=example`);
    for (let i = 0; i < 100; i += 1) await start(`user-${i}`, 'Name', groups);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const answer = await list({ ...(cursor !== undefined && { cursor }) });
      expect(JSON.stringify(answer).length).toBeLessThan(5 * 1_048_576);
      seen.push(...answer.sessions.map(({ subject }) => subject));
      cursor = answer.nextCursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
  });

  it('keeps odd subjects as they are, and finds them', async () => {
    for (const subject of ODD) await start(subject, 'Name');
    expect((await list({})).sessions.map(({ subject }) => subject).sort()).toEqual([...ODD].sort());
    for (const subject of ODD)
      expect((await list({ person: subject.toUpperCase() })).sessions.some((each) => each.subject === subject)).toBe(
        true,
      );
  });

  it('says from where, when it was last used, and which one the request came with', async () => {
    const mine = await start('ada');
    const other = await start('bob');
    const since = clock.now();
    clock.advance(90_000);
    await sessions.find(mine.credential);
    clock.advance(30_000);
    await sessions.find(mine.credential);
    const time = (ms: number) => new Date(ms).toISOString();
    const answer = await list({}, mine.session.id);
    const common = {
      issuer: 'https://id.example',
      groups: ['staff'],
      kind: 'web',
      since: time(since),
      expires: time(since + 3_600_000),
      address: '2001:db8::7',
    };
    expect(new Set(answer.sessions)).toEqual(
      new Set([
        { ...common, id: mine.session.id, subject: 'ada', name: 'ada', lastUsed: time(since + 90_000), current: true },
        { ...common, id: other.session.id, subject: 'bob', name: 'bob', lastUsed: time(since), current: false },
      ]),
    );
  });

  it.each(['', 'x', '1', '.x', '9'.repeat(40), '-1.x', '1e3.x'])('refuses the cursor `%s`', async (cursor) => {
    await expect(list({ cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
