import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startS3Face, type S3Face } from '../support/s3-face.ts';
import type { RpcClient } from '../support/rpc-client.ts';
import { ToldStorage } from '../storage/told-storage.ts';
import type { Visitor } from '../support/visitor.ts';
import type { Permissions } from '../../src/wire/permission.ts';

/**
 * Storage that takes `/x` and `//x` for `x`, as MinIO (https://github.com/minio/minio/issues/17356) and RustFS do, and `x__XLDIR__` for `x/`. It keeps whole objects, and
 * knows little else.
 */
function mergingStorage(storage: ToldStorage): void {
  const objects = new Map<string, string>();
  storage.answer = ({ method, path, headers, body, query }) => {
    const key = decodeURIComponent(path)
      .replace(/^\/files\/+/, '')
      .replaceAll(/\/{2,}/g, '/')
      .replace(/__XLDIR__$/, '/');
    const stored = objects.get(key);
    const source = headers['x-amz-copy-source'];
    if (query.has('tagging')) return { body: '<Tagging/>' };
    if (source !== undefined) {
      objects.set(key, objects.get(decodeURIComponent(String(source)).replace(/^\/?files\/+/, ''))!);
      return { body: '<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>' };
    }
    if (method === 'PUT') objects.set(key, body);
    else if (method === 'DELETE') objects.delete(key);
    else if (stored === undefined) return { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' };
    return { headers: { etag: '"e"', 'content-type': 'text/plain' }, ...(method === 'GET' && { body: stored! }) };
  };
}

const storage = new ToldStorage();
let face: S3Face;
let dan: { readonly visitor: Visitor; readonly rpc: RpcClient; readonly s3: S3Client };
let ada: RpcClient;

const BUCKET = { provider: 'main', bucket: 'files' };
const DENIED = [
  '/secret/plan.txt',
  '//secret/plan.txt',
  '/secret//plan.txt',
  '//listed only.txt',
  'secret__XLDIR__',
  '/secret__XLDIR__',
];
const ALLOWED = ['/open.txt', 'a//b.txt', 'open__XLDIR__'];

beforeAll(async () => {
  await storage.start();
  mergingStorage(storage);
  face = await startS3Face({
    config: (given) => {
      const providers = (given['providers'] as object[]).map((main) => ({ ...main, endpoint: storage.endpoint }));
      const again = { ...providers[0]!, name: 'again', endpoint: storage.endpoint.replace('127.0.0.1', 'localhost') };
      return { ...given, providers: [...providers, again] };
    },
  });
  const { app } = face;
  dan = {
    visitor: await app.signIn('dan'),
    rpc: await face.rpc('dan'),
    s3: face.client(await face.key('dan')),
  };
  ada = await face.rpc('ada');
  for (const key of ['secret/plan.txt', 'secret/', 'listed only.txt', 'open.txt', 'open/', 'a/b.txt']) {
    const { url } = await ada.call('transfer/create', { ...BUCKET, key, direction: 'upload' });
    expect((await fetch(url, { method: 'PUT', body: 'THE PLAN' })).status).toBe(200);
  }
});
afterAll(async () => {
  await face.app.close();
  await storage.close();
});

const address = (key: string) =>
  `${face.app.origin}/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`;
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error: unknown) => (error as Error).name,
  );

describe('a key with an empty segment, which storage may take for the key without it', () => {
  it.each(DENIED)('%s is denied where policy denies the other key, on every face', async (key) => {
    expect((await dan.visitor.request(address(key))).status).toBe(403);
    expect((await dan.visitor.request(address(key), { method: 'HEAD' })).status).toBe(403);
    const denied = { data: { code: 'access_denied' } };
    for (const direction of ['download', 'upload'] as const)
      if (direction === 'download' || key.includes('secret'))
        expect(await dan.rpc.fails('transfer/create', { ...BUCKET, key, direction })).toMatchObject(denied);
    expect(await dan.rpc.fails('object/presign', { ...BUCKET, key, method: 'GET', expiresIn: 60 })).toMatchObject(
      denied,
    );
    expect(await dan.rpc.fails('object/copy', { ...BUCKET, key, to: { key: 'mine.txt' } })).toMatchObject(denied);
    expect(await codeOf(dan.s3.send(new GetObjectCommand({ Bucket: 'files', Key: key })))).toBe('AccessDenied');
  });

  it.each(DENIED.filter((key) => key.includes('secret')))('%s is neither written nor deleted', async (key) => {
    expect(await codeOf(dan.s3.send(new PutObjectCommand({ Bucket: 'files', Key: key, Body: 'x' })))).toBe(
      'AccessDenied',
    );
    expect(await dan.rpc.call('object/delete', { ...BUCKET, keys: [key] })).toEqual({
      deleted: [],
      failed: [{ key, code: 'access_denied' }],
    });
    const archive = await face.app.signIn('dan').then((visitor) =>
      visitor.request(`${face.app.origin}/api/providers/main/buckets/files/archive`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: face.app.origin },
        body: JSON.stringify({ keys: [key] }),
      }),
    );
    expect(archive.status).toBe(403);
  });

  it.each(ALLOWED)('%s is allowed where policy allows both', async (key) => {
    const read = await dan.visitor.request(address(key));
    expect([read.status, await read.text()]).toEqual([200, 'THE PLAN']);
  });

  it.each(DENIED)('%s has no other permissions in the UI than those that the service enforces', async (key) => {
    const list = (more: object) => dan.rpc.call('permission/list', { ...BUCKET, ...more });
    const plain = key.replace(/^\/+/, '').replaceAll('//', '/').replace('__XLDIR__', '/');
    const enforced = (actions: string[]) => actions.filter((action) => action !== 'objects:list');
    const { keys } = (await list({ keys: [key, plain] })) as { keys: Record<string, string[]> };
    expect(enforced(keys[key]!)).toEqual(enforced(keys[plain]!));
    expect(keys[key]).not.toContain('objects:get');
    expect(((await list({ key })) as { actions: string[] }).actions).not.toContain('objects:get');
  });

  async function explain(place: { readonly key: string } | { readonly prefix: string }) {
    const admin = await face.app.signIn('ada');
    const answer = await admin.request(`${face.app.origin}/api/admin/explain`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: face.app.origin },
      body: JSON.stringify({
        subject: 'dan',
        groups: ['team'],
        ...('key' in place && { action: 'objects:get' }),
        ...BUCKET,
        ...place,
      }),
    });
    return (await answer.json()) as { allowed: boolean; answers: { action: string; reason: string }[] };
  }

  it.each(DENIED)('%s is explained to an administrator as it is decided', async (key) => {
    expect(await explain({ key })).toMatchObject({ allowed: false, answers: [{ reason: 'explicit_deny' }] });
    expect(await explain({ key: '/open.txt' })).toMatchObject({ allowed: true });
  });

  it.each(['/secret/', '//secret/', '/secret//sub/'])('a new object in %s is explained so too', async (prefix) => {
    const onRead = async (of: string) =>
      (await explain({ prefix: of })).answers.find(({ action }) => action === 'objects:get');
    expect(await onRead(prefix)).toMatchObject({ allowed: false, reason: 'explicit_deny', somewhere: false });
    expect(await onRead('/open/')).toMatchObject({ allowed: true });
  });

  it.each(DENIED)('who may read %s is said under each of its names, one of which is denied', async (key) => {
    const { answers } = await ada.call('policy/who', { ...BUCKET, action: 'objects:get', key });
    const outcomes = answers.map(({ takenFor, holders }) => ({
      takenFor,
      team: holders.filter(({ group }) => group === 'team').map(({ outcome }) => outcome),
    }));
    expect(outcomes[0]).toEqual({ takenFor: undefined, team: ['allowed'] });
    const plain = key.replace(/^\/+/, '').replaceAll('//', '/').replace('__XLDIR__', '/');
    expect(outcomes).toContainEqual({ takenFor: { key: plain }, team: ['denied'] });
  });

  it.each(['/secret/', '//secret/', '/secret//sub/'])('the folder %s has none either', async (prefix) => {
    const told = (await dan.rpc.call('permission/list', { ...BUCKET, prefix })) as {
      actions: string[];
      here: string[];
    };
    expect(told.here).toEqual(['objects:list']);
    expect(
      told.actions.filter((action) => /get|write|delete|read$/.test(action) && action.startsWith('objects')),
    ).toEqual([]);
    const { here } = (await dan.rpc.call('permission/list', { ...BUCKET, prefix: '/open/' })) as Permissions;
    expect(here).toContain('objects:get');
  });

  it('is no target of a move of the key without it, whose only object would be deleted', async () => {
    for (const [key, to] of [
      ['open.txt', '/open.txt'],
      ['a/b.txt', 'a//b.txt'],
      ['open/', 'open__XLDIR__'],
    ] as const) {
      expect(await ada.fails('object/copy', { ...BUCKET, key, to: { key: to }, move: true })).toMatchObject({
        data: { code: 'invalid_request' },
      });
      expect(await (await dan.visitor.request(address(key))).text()).toBe('THE PLAN');
    }
  });

  it('is no target of such a move through another address of the same storage either', async () => {
    const to = { provider: 'again', key: '/open.txt' };
    expect(await ada.fails('object/copy', { ...BUCKET, key: 'open.txt', to, move: true })).toMatchObject({
      data: { code: 'conflict' },
    });
    expect(await (await dan.visitor.request(address('open.txt'))).text()).toBe('THE PLAN');
  });
});
