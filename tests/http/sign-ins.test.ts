import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SignInList } from '../../src/wire/http.ts';
import { ACCOUNTS, startApp, type TestApp } from '../support/app.ts';
import { desktopAttempt, desktopCode, signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { signInAt, Visitor } from '../support/visitor.ts';

const SECRETS = { email: 'una@private.example', phone_number: '+49 30 1234567' };
const UNA = { sub: 'una/x', name: 'Una Unsafe', groups: ['viewers', 'Viewers', 'x/y'], claims: SECRETS };

let app: TestApp;
let admin: Visitor;
beforeAll(async () => {
  const own = {
    version: 1,
    name: 'own',
    rules: [
      {
        effect: 'allow',
        actions: ['objects:read'],
        resources: [
          { type: 'prefix', provider: 'main', bucket: 'files', prefix: 'users/', each: 'subject' },
          { type: 'prefix', provider: 'main', bucket: 'files', prefix: 'teams/', each: 'group' },
        ],
      },
    ],
  };
  app = await startApp({
    accounts: [...ACCOUNTS, UNA],
    config: (config) => ({
      ...config,
      policies: [...(config['policies'] as object[]), own],
      bindings: [...(config['bindings'] as object[]), { groups: ['viewers'], policies: ['own'] }],
    }),
  });
  admin = await app.signIn('ada');
});
afterAll(() => app.close());

/** They are written while the answer is on its way. */
async function list(query = '', at = app, as = admin): Promise<SignInList> {
  await wait(50);
  const answer = await as.request(`${at.origin}/api/admin/sign-ins${query}`, {
    headers: { accept: 'application/json' },
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as SignInList;
}

async function refuse(path: string): Promise<number> {
  const visitor = new Visitor();
  const begun = await visitor.request(`${app.origin}/api/auth/login`);
  const callback = new URL(await signInAt(begun.headers.get('location')!, { account: 'vic', visitor }));
  const state = callback.searchParams.get('state')!;
  return (await visitor.request(`${app.origin}/api/auth/callback?state=${encodeURIComponent(state)}&${path}`)).status;
}

describe('GET /api/admin/sign-ins', () => {
  it('tells which claims came, which bindings matched, and which claims come to nothing', async () => {
    await app.signIn('una/x');
    const {
      sign_ins: [latest],
      total,
    } = await list();
    expect(latest).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-/),
      kind: 'web',
      address: '127.0.0.1',
      result: 'signedIn',
      issuer: app.issuer,
      subject: 'una/x',
      name: 'Una Unsafe',
      subject_unsafe: true,
      subject_claim: 'sub',
      groups_claim: 'groups',
      groups_found: true,
      claims: expect.arrayContaining(['email', 'groups', 'name', 'phone_number', 'sub']),
      groups: [
        { name: 'Viewers', bound: false, unsafe: false },
        { name: 'x/y', bound: false, unsafe: true },
        { name: 'viewers', bound: true, unsafe: false },
      ],
      bindings: [
        { place: 2, groups: ['viewers'], role: 'viewer' },
        { place: 5, groups: ['viewers'], policies: ['own'] },
      ],
      left_out: 0,
    });
    expect(total).toBe(2);
  });

  it('holds no value of another claim, no token and no code', async () => {
    const text = JSON.stringify(await list());
    for (const secret of [...Object.values(SECRETS), 'eyJ', 'code=']) expect(text).not.toContain(secret);
  });

  it('tells of desktop sign-ins, and is filtered by person and result, in pages', async () => {
    await signInDesktop(app, 'eve');
    expect((await list('?person=EVE')).sign_ins).toEqual([
      expect.objectContaining({ subject: 'eve', kind: 'desktop', result: 'signedIn' }),
    ]);
    expect((await list('?result=refused')).sign_ins).toEqual([]);
    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${encodeURIComponent(first.next_cursor!)}`);
    expect([first.sign_ins[0]!.subject, second.sign_ins[0]!.subject]).toEqual(['eve', 'una/x']);
    const rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    for (const person of ['eve', 'eDITor'])
      expect(await rpc.call('signIn/list', { person })).toMatchObject({
        total: 1,
        signIns: [{ subject: 'eve', name: 'Eve Editor' }],
      });
  });

  it('finds who is in a group: by the last sign-in of each, and by the sessions', async () => {
    const subjectsIn = async (path: string, group: string) => {
      const answer = await admin.request(`${app.origin}/api/admin/${path}?group=${encodeURIComponent(group)}`);
      const { total, ...lists } = (await answer.json()) as { total: number };
      const [people] = Object.values(lists).filter(Array.isArray) as { subject: string }[][];
      expect(people).toHaveLength(total);
      return people!.map(({ subject }) => subject);
    };
    const signInWith = async (...groups: string[]) => {
      app.idp.setAccounts([...ACCOUNTS, UNA, { sub: 'moved', groups }]);
      await app.signIn('moved');
      await wait(50);
    };
    await signInWith('editors', 'first of moved');
    expect(await subjectsIn('sign-ins', 'first of moved')).toEqual(['moved']);
    await signInWith('editors', 'second of moved');
    expect(await subjectsIn('sign-ins', 'first of moved')).toEqual([]);
    expect(await subjectsIn('sign-ins', 'second of moved')).toEqual(['moved']);
    expect(await subjectsIn('sign-ins', 'second')).toEqual([]);
    expect(await subjectsIn('sign-ins', 'editors')).toEqual(['moved', 'eve']);
    expect(await subjectsIn('sessions', 'second of moved')).toEqual(['moved']);
    expect(await subjectsIn('sessions', 'Second of moved')).toEqual([]);
  });

  it('says why somebody was refused whom the provider named', async () => {
    app.idp.setAccounts([...ACCOUNTS, { sub: 'zed', groups: ['admins\0'] }]);
    const visitor = await app.signIn('zed');
    expect(visitor.cookie(app.origin, 'svc_session')).toBeUndefined();
    const {
      sign_ins: [refused],
    } = await list('?result=refused');
    expect(refused).toMatchObject({
      subject: 'zed',
      result: 'refused',
      code: 'login_rejected',
      detail: expect.stringContaining('U+0000'),
      claims: expect.arrayContaining(['sub']),
    });
  });

  it('keeps apart what anybody can make up, without the words that they chose, and nothing of an unknown state', async () => {
    const before = await list();
    expect(await refuse('error=access_denied&error_description=Visit%20evil.example')).toBe(403);
    expect(await refuse('code=made-up')).toBe(401);
    expect(await refuse(`error=${encodeURIComponent('<b>evil.example</b>')}`)).toBe(403);
    await fetch(`${app.origin}/api/auth/callback?state=x&code=y`);
    expect(await list()).toEqual(before);
    const { sign_ins: unknown, total } = await list('?result=unknown');
    expect(total).toBe(3);
    expect(unknown.map(({ code, provider_error: said, subject, claims }) => [code, said, subject, claims])).toEqual([
      ['login_refused', undefined, undefined, []],
      ['login_rejected', undefined, undefined, []],
      ['login_refused', 'access_denied', undefined, []],
    ]);
    expect(JSON.stringify(unknown)).not.toContain('evil');
  });

  it('keeps the latest 100 of those', async () => {
    const attempts = async () => {
      for (let i = 0; i < 26; i += 1) await refuse('error=access_denied');
    };
    await Promise.all([attempts(), attempts(), attempts(), attempts()]);
    expect((await list('?result=unknown')).total).toBe(100);
  });

  it('is for administrators', async () => {
    const vic = await app.signIn('vic');
    expect(
      (await vic.request(`${app.origin}/api/admin/sign-ins`, { headers: { accept: 'application/json' } })).status,
    ).toBe(403);
  });

  it('has an end: of groups, of their names, and of the whole answer', async () => {
    app.idp.setAccounts([
      ...ACCOUNTS,
      { sub: 'max', groups: ['viewers', ...Array.from({ length: 300 }, (_, i) => `${i} ${'g'.repeat(400)}`)] },
    ]);
    await app.signIn('max');
    const {
      sign_ins: [latest],
    } = await list('?person=max');
    expect(latest).toMatchObject({ result: 'signedIn', left_out: 201 });
    expect(latest!.groups).toHaveLength(100);
    expect(Math.max(...latest!.groups.map(({ name }) => name.length))).toBe(255);
    expect(latest!.bindings).toHaveLength(2);
  });
});

describe('a desktop client that is refused', () => {
  it('is told of with the reason', async () => {
    expect((await desktopCode(app.origin, 'cancel', desktopAttempt(app.origin))).get('error')).toBe('access_denied');
    expect((await list('?result=unknown&limit=1')).sign_ins).toEqual([
      expect.objectContaining({ kind: 'desktop', code: 'login_refused', provider_error: 'access_denied' }),
    ]);
  });
});

describe('a service without an identity provider', () => {
  it('has no sign-ins', async () => {
    const open = await startApp({ config: ({ auth: _auth, ...config }) => ({ ...config, auth: { enabled: false } }) });
    try {
      expect(await list('', open, new Visitor())).toEqual({ sign_ins: [], total: 0, next_cursor: null });
    } finally {
      await open.close();
    }
  });
});
