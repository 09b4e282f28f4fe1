import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import type { Visitor } from '../support/visitor.ts';

let app: TestApp;
const people = new Map<string, Visitor>();

beforeAll(async () => {
  app = await startApp();
  for (const account of ['ada', 'eve', 'vic', 'pia', 'dan', 'nobody']) people.set(account, await app.signIn(account));
});
afterAll(() => app.close());

const json = { accept: 'application/json', 'content-type': 'application/json' };
const ask = (
  account: string,
  path: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
) => people.get(account)!.request(app.origin + path, { ...init, headers: { ...json, ...headers } });
const object = (bucket: string, key: string) =>
  `/api/providers/main/buckets/${bucket}/object?key=${encodeURIComponent(key)}`;

describe('GET /api/auth/me', () => {
  it('says who is signed in, with the groups of the token', async () => {
    expect(await (await ask('vic', '/api/auth/me')).json()).toEqual({
      authenticated: true,
      auth_enabled: true,
      subject: 'vic',
      groups: ['viewers', 'unrelated'],
    });
  });

  it('says that a stranger is not', async () => {
    expect(await (await fetch(`${app.origin}/api/auth/me`)).json()).toEqual({
      authenticated: false,
      auth_enabled: true,
      subject: '',
      groups: [],
    });
  });
});

describe('objects, from upload to deletion', () => {
  it('gives an editor what was written, and a viewer no way to write', async () => {
    const put = await ask('eve', object('files', 'folder/ümlaut + 100%.txt'), {
      method: 'PUT',
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status).toBe(200);
    const got = await ask('vic', object('files', 'folder/ümlaut + 100%.txt'));
    expect([got.status, await got.text(), got.headers.get('x-content-type-options')]).toEqual([
      200,
      'hello',
      'nosniff',
    ]);
    const denied = await ask('vic', object('files', 'other.txt'), { method: 'PUT', body: 'x' });
    expect(denied.status).toBe(403);
    expect(await denied.json()).toMatchObject({
      code: 'access_denied',
      action: 'objects:write',
      reason: 'no_matching_allow',
    });
    expect((await ask('eve', object('files', 'folder/ümlaut + 100%.txt'), { method: 'DELETE' })).status).toBe(204);
    expect((await ask('eve', object('files', 'folder/ümlaut + 100%.txt'))).status).toBe(404);
  });
});

describe('GET …/permissions', () => {
  it('lists what is allowed in the bucket and beneath a prefix', async () => {
    const at = async (account: string, query = '', bucket = 'photos') =>
      (
        (await (await ask(account, `/api/providers/main/buckets/${bucket}/permissions${query}`)).json()) as {
          actions: string[];
        }
      ).actions;
    expect(await at('pia')).toEqual(['buckets:read', 'objects:read', 'objects:list', 'objects:get', 'objects:write']);
    expect(await at('pia', '?prefix=2024/')).toEqual(['buckets:read']);
    expect(await at('dan', `?key=${encodeURIComponent('listed only.txt')}`, 'files')).toEqual([
      'buckets:read',
      'objects:list',
      'objects:write',
      'objects:delete',
      'objects:presign',
    ]);
    expect(await at('nobody')).toEqual([]);
  });

  it('says with a prefix what a new object there would get, whatever is allowed beneath', async () => {
    const here = async (account: string, query: string, bucket: string) =>
      (
        (await (await ask(account, `/api/providers/main/buckets/${bucket}/permissions${query}`)).json()) as {
          here?: string[];
        }
      ).here;
    const readAndWrite = ['objects:read', 'objects:list', 'objects:get', 'objects:write'];
    expect(await here('pia', '?prefix=', 'photos')).toEqual([]);
    expect(await here('pia', '?prefix=2025/', 'photos')).toEqual(readAndWrite);
    expect(await here('dan', '?prefix=', 'files')).toEqual([...readAndWrite, 'objects:delete', 'objects:presign']);
    expect(await here('dan', '?prefix=secret/', 'files')).toEqual([]);
    expect(await here('dan', '', 'files')).toBeUndefined();
    expect(await here('dan', '?key=a', 'files')).toBeUndefined();
  });
});

describe('POST …/permissions', () => {
  const ofKeys = (body: object) =>
    ask('dan', '/api/providers/main/buckets/files/permissions', { method: 'POST', body: JSON.stringify(body) });
  const all = ['objects:read', 'objects:list', 'objects:get', 'objects:write', 'objects:delete', 'objects:presign'];

  it('lists what is allowed on each key, and nothing else', async () => {
    const answer = await ofKeys({ keys: ['listed only.txt', 'secret/x', '__proto__', 'toString'] });
    expect([answer.status, await answer.text()]).toEqual([
      200,
      `{"keys":{"listed only.txt":${JSON.stringify(all.slice(1).filter((action) => action !== 'objects:get'))},"secret/x":[],"__proto__":${JSON.stringify(all)},"toString":${JSON.stringify(all)}}}`,
    ]);
  });

  it('takes 1000 keys of full length, and refuses more, none, and a key that storage could misread', async () => {
    const long = (count: number) => Array.from({ length: count }, (_, i) => String(i).padEnd(1_020, 'k'));
    const answer = (await (await ofKeys({ keys: long(1_000) })).json()) as { keys: Record<string, string[]> };
    expect(Object.keys(answer.keys)).toHaveLength(1_000);
    for (const keys of [Array.from({ length: 1_001 }, (_, i) => String(i)), [], undefined, ['a', '../a']])
      expect((await ofKeys({ keys })).status).toBe(400);
  });
});
