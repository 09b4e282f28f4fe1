import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIT_SECRET } from '../audit/support/audit-folder.ts';
import { Machine } from '../cli/svc-process.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInPeople, type People } from '../support/audit-cases.ts';

type Line = {
  readonly operation: string;
  readonly outcome: string;
  readonly changes: boolean;
  readonly subject: string;
  readonly request_id?: string;
  readonly address?: string;
  readonly resources?: readonly { readonly resource: string }[];
};
type Page = { readonly lines: readonly Line[]; readonly next_cursor: string | null; readonly complete: boolean };

const FILES = '/api/providers/main/buckets/files';
const path = join(mkdtempSync(join(tmpdir(), 'svc-audit-')), 'audit');

let app: TestApp;
let people: People;
beforeAll(async () => {
  app = await startApp({
    config: (config) => ({
      ...config,
      audit: { path, instance: 'one', signing_secret: AUDIT_SECRET, activity: 'all' },
    }),
  });
  people = await signInPeople(app);
  for (const key of ['open/a', 'open/b']) await people.http('dan', 'PUT', `${FILES}/object?key=${key}`, { body: 'x' });
  await people.http('ada', 'PUT', `${FILES}/object?key=secret/a`, { body: 'x' });
  await people.http('ada', 'POST', `${FILES}/objects/copy`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'secret/a', to: { key: 'open/copied' } }),
  });
  await people.http('dan', 'GET', `${FILES}/object?key=secret/a`);
  await people.http('dan', 'GET', `${FILES}/object?key=open/a`);
  // What only reads is written a moment later.
  await wait(200);
});
afterAll(async () => {
  await app.close();
  rmSync(join(path, '..'), { recursive: true, force: true });
});

async function asked(query: string, account = 'ada'): Promise<Page> {
  const answer = await people.http(account, 'GET', `/api/admin/audit?${query}`);
  expect(answer.status).toBe(200);
  return answer.json() as Page;
}

describe('a bulk deletion', () => {
  it('is in the audit, with each key, before storage is asked', async () => {
    const written = () =>
      globSync(`${path}/**/*.jsonl`)
        .map((file) => readFileSync(file, 'utf8'))
        .join('');
    let before = '';
    app.storageCalls.spoil = (call) => {
      if (call.includes('delete')) before ||= written();
      return undefined;
    };
    await people.http('dan', 'POST', `${FILES}/objects/delete`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ keys: ['open/gone 1', 'open/gone 2'] }),
    });
    app.storageCalls.spoil = undefined;
    expect(before).toContain('open/gone 1');
    expect(before).toContain('open/gone 2');
  });
});

it('a change of a key, a session or a person names it before it begins', async () => {
  const [ada, nora] = [people.rpc('ada'), { issuer: app.issuer, subject: 'nora' }];
  const scope = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
  const { key } = await ada.call('apiKey/create', { description: 'x', scope, expiresAt: null });
  const session = '0'.repeat(24);
  const person = { person: 'nora', of: { ...nora, name: 'nora' } };
  const expected = [
    ['apiKey/rotate', { apiKey: key.id }],
    ['apiKey/replaceScope', { apiKey: key.id }],
    ['apiKey/revoke', { apiKey: key.id }],
    ['apiKey/revokeAll', person],
    ['session/revoke', { session }],
    ['session/revokeAll', person],
    ['person/suspend', person],
    ['person/resume', person],
    ['policy/viewAs', person],
  ];
  await ada.call('apiKey/rotate', { id: key.id });
  await ada.call('apiKey/replaceScope', { id: key.id, scope });
  await ada.call('apiKey/revoke', { id: key.id });
  await ada.call('apiKey/revokeAll', nora);
  await ada.fails('session/revoke', { id: session });
  await ada.call('session/revokeAll', nora);
  await ada.call('person/suspend', nora);
  await ada.call('person/resume', nora);
  await people.http('ada', 'POST', '/api/admin/view-as', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...nora, groups: [] }),
  });
  const intents = globSync(`${path}/**/*.jsonl`)
    .flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as { kind: string; operation: string; resources: readonly unknown[] })
    .filter(({ kind, operation }) => kind === 'intent' && expected.some(([name]) => name === operation));
  const named = intents.map(({ operation, resources }) => [operation, ...resources]);
  // Each worker writes a chain of its own.
  expect(named).toHaveLength(expected.length);
  expect(named).toEqual(expect.arrayContaining(expected));
});

describe('GET /api/admin/audit', () => {
  it('answers administrators alone', async () => {
    expect((await people.http('dan', 'GET', '/api/admin/audit')).status).toBe(403);
  });

  it('tells the life of one object', async () => {
    const { lines, complete } = await asked('resource=main/files/open/a');
    expect([complete, lines]).toEqual([
      true,
      [
        expect.objectContaining({
          operation: 'object/read',
          outcome: 'done',
          subject: 'dan',
          bytes: 1,
          address: '127.0.0.1',
          request_id: expect.any(String),
        }),
        expect.objectContaining({
          operation: 'object/write',
          outcome: 'done',
          subject: 'dan',
          resources: [
            {
              resource: 'main/files/open/a',
              provider: 'main',
              bucket: 'files',
              key: 'open/a',
              action: 'objects:write',
              outcome: 'done',
              rule: 'team 1',
            },
          ],
        }),
      ],
    ]);
  });

  it('tells what somebody was denied, with the rule', async () => {
    const { lines } = await asked('subject=dan&outcome=denied&operation=object/read');
    expect(lines).toEqual([
      expect.objectContaining({
        why: 'access_denied',
        resources: [
          {
            resource: 'main/files/secret/a',
            provider: 'main',
            bucket: 'files',
            key: 'secret/a',
            action: 'objects:get',
            outcome: 'denied',
            why: 'explicit_deny',
            rule: 'team 2',
          },
        ],
      }),
    ]);
  });

  it('does not call somebody a reader who was only told about an object', async () => {
    for (const method of ['HEAD', 'GET'])
      expect((await people.http('dan', method, `${FILES}/object?key=open/a`)).status).toBe(200);
    // What only reads is written a moment later.
    await wait(200);
    const { lines } = await asked('resource=main/files/open/a&subject=dan&limit=2');
    expect(lines.map(({ operation }) => operation)).toEqual(['object/read', 'object/head']);
  });

  it('goes on with a cursor, and refuses one that no answer gave', async () => {
    const first = await asked('operation=object/write&limit=2');
    expect(first.lines).toHaveLength(2);
    expect(
      (await asked(`operation=object/write&limit=2&cursor=${first.next_cursor!}`)).lines.map(
        ({ resources }) => resources![0]!.resource,
      ),
    ).toEqual(['main/files/open/a']);
    expect((await people.http('ada', 'GET', '/api/admin/audit?cursor=x')).status).toBe(400);
    for (const none of ['yesterday-or-so', 'bananas 2026', '2026-02-30', '2026-05-04T08:00', '2026-05-04 08:00Z'])
      expect([
        none,
        (await people.http('ada', 'GET', `/api/admin/audit?from=${encodeURIComponent(none)}`)).status,
      ]).toEqual([none, 400]);
    for (const day of ['2026-05-04', '2026-05-04T08:00Z', '2026-05-04t08:00:00.5+02:00'])
      expect([
        day,
        (await people.http('ada', 'GET', `/api/admin/audit?from=${encodeURIComponent(day)}`)).status,
      ]).toEqual([day, 200]);
  });

  it('leaves out reads, or those of its own pages, and says which lines are changes', async () => {
    await people.http('dan', 'GET', '/api/admin/roles');
    await wait(200);
    expect((await asked('operation=role/list')).lines).toMatchObject([{ outcome: 'denied', changes: false }]);
    const { lines } = await asked('only=storage&limit=1000');
    const kinds = new Map(lines.map(({ operation, changes }) => [operation, changes]));
    expect(kinds.has('role/list')).toBe(false);
    expect([kinds.get('object/read'), kinds.get('object/write')]).toEqual([false, true]);
    const only = (await asked('only=changes&limit=1000')).lines;
    expect(only.length).toBeGreaterThan(0);
    expect(only.filter(({ changes }) => !changes)).toEqual([]);
  });

  it('says the same by RPC and on the command line', async () => {
    const { lines } = await people.rpc('ada').call('audit/list', { resource: 'main/files/open/b' });
    expect(lines).toMatchObject([{ operation: 'object/write', subject: 'dan' }]);
    const machine = await Machine.make();
    try {
      const { stdout } = await machine.svc('audit', 'query', path, '--object', 'main/files/open/b', '--json');
      expect((JSON.parse(stdout) as { lines: unknown }).lines).toMatchObject([
        { operation: 'object/write', requestId: lines[0]!.requestId },
      ]);
      const tail = machine.start(['audit', 'tail', path, '--limit', '1']);
      await tail.stdoutHas(/\n/);
      await people.http('dan', 'PUT', `${FILES}/object?key=open/tailed`, { body: 'x' });
      await tail.stdoutHas(/ done {2}object\/write {2}dan {2}main\/files\/open\/tailed\n/);
      tail.child.kill('SIGTERM');
      expect((await tail.ended).status).toBe(0);
    } finally {
      await machine.remove();
    }
  });
});

describe('GET …/object/activity', () => {
  const activity = async (account: string, key: string) =>
    people.http(account, 'GET', `${FILES}/object/activity?key=${key}`);

  it('tells who may read an object what happened to it, and nothing of what they may not list', async () => {
    const answer = await activity('dan', 'open/copied');
    expect(answer.json()).toMatchObject({
      lines: [
        {
          operation: 'object/copy',
          move: false,
          outcome: 'done',
          action: 'objects:write',
          subject: 'ada',
          name: 'Ada Admin',
        },
      ],
    });
    expect(answer.text()).not.toContain('secret/a');
    expect(answer.text()).not.toMatch(/address|request|credential/);
  });

  it.each([
    ['changes', 'dan', ['object/write', 'object/read']],
    ['changes', 'eve', ['object/write']],
    ['changes', 'ada', ['object/write', 'object/read']],
    ['all', 'eve', ['object/write', 'object/read']],
    ['off', 'eve', []],
    ['off', 'dan', ['object/write', 'object/read']],
  ] as const)(
    'with `audit.activity: %s` shows %s what others did, as far as it allows',
    async (activity, account, expected) => {
      const app = await startApp({
        config: (config) => ({
          ...config,
          audit: { path: join(path, '..', `${activity}-${account}`), signing_secret: AUDIT_SECRET, activity },
        }),
      });
      try {
        const people = await signInPeople(app);
        await people.http('dan', 'PUT', `${FILES}/object?key=open/a`, { body: 'x' });
        await people.http('dan', 'GET', `${FILES}/object?key=open/a`);
        await wait(200);
        const url = `${app.origin}${FILES}/object/activity?key=open/a&limit=1000`;
        const { lines, others_see } = (await (await (await app.signIn(account)).request(url)).json()) as {
          lines: { operation: string; subject: string }[];
          others_see: string;
        };
        const ofDan = lines.filter(({ subject }) => subject === 'dan').map(({ operation }) => operation);
        expect([ofDan.filter((name) => !name.endsWith('activity')).reverse(), others_see]).toEqual([
          expected,
          activity,
        ]);
      } finally {
        await app.close();
      }
    },
  );

  it('says why something failed', async () => {
    expect(
      (
        await people.http('dan', 'PUT', `${FILES}/object?key=open/copied`, {
          body: 'x',
          headers: { 'if-none-match': '*' },
        })
      ).status,
    ).toBe(412);
    const { lines } = (await activity('dan', 'open/copied')).json() as { readonly lines: unknown[] };
    expect(lines[0]).toMatchObject({ operation: 'object/write', outcome: 'failed', why: 'precondition_failed' });
  });

  it('names the version that a request was about, to who may see versions', async () => {
    await people.http('ada', 'GET', `${FILES}/object?key=open/b&version=an-old-one`);
    await wait(200);
    const latest = async (account: string) =>
      ((await activity(account, 'open/b')).json() as { readonly lines: object[] }).lines[0];
    expect(await latest('ada')).toMatchObject({ operation: 'object/read', outcome: 'failed', version: 'an-old-one' });
    await wait(200);
    const { lines } = (await activity('dan', 'open/b')).json() as { readonly lines: { operation: string }[] };
    const line = lines.find(({ operation }) => operation === 'object/read');
    expect(line).toMatchObject({ outcome: 'failed' });
    expect(line).not.toHaveProperty('version');
  });

  it('is denied to who may not read it, as the object is', async () => {
    expect((await activity('dan', 'secret/a')).status).toBe(403);
  });
});
