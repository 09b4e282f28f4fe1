import { CopyObjectCommand, DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../src/config/read/settings.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { FolderWatcher } from '../support/folder-watcher.ts';
import { RpcClient, RpcConnection } from '../support/rpc-client.ts';
import { startS3Face, type S3Face } from '../support/s3-face.ts';

const files = { provider: 'main', bucket: 'files' };
let face: S3Face;
let ada: RpcClient;
let tool: S3Client;
let adas: string;
let dans: string;
const watchers: FolderWatcher[] = [];

beforeAll(async () => {
  face = await startS3Face();
  adas = (await signInDesktop(face.app, 'ada')).access_token;
  dans = (await signInDesktop(face.app, 'dan')).access_token;
  ada = RpcClient.bearer(face.app.origin, adas);
  tool = face.client(await face.key('ada'));
});
afterEach(async () => {
  await Promise.all(watchers.splice(0).map((watcher) => watcher.close()));
});
afterAll(async () => {
  tool.destroy();
  await face.app.close();
});

async function watcherOf(credential: string): Promise<FolderWatcher> {
  const watcher = await FolderWatcher.open(face.app.origin, credential);
  watchers.push(watcher);
  return watcher;
}
const watcher = async (account: string) => watcherOf((await signInDesktop(face.app, account)).access_token);

async function put(key: string): Promise<void> {
  const { url } = await ada.call('transfer/create', { ...files, key, direction: 'upload' });
  expect((await fetch(url, { method: 'PUT', body: key })).status).toBe(200);
}
const at = (key: string) => ({ Bucket: 'files', Key: key });

/** Each way to change an object: what it needs is there before. */
const CHANGES: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'a ticket': (folder) => put(`${folder}new`),
  'an upload in parts': async (folder) => {
    const object = { ...files, key: `${folder}parts` };
    const { id } = await ada.call('upload/create', object);
    const { url } = await ada.call('transfer/create', { ...object, direction: 'upload', upload: { id, part: 1 } });
    const { etag } = (await (await fetch(url, { method: 'PUT', body: 'part' })).json()) as { readonly etag: string };
    await ada.call('upload/complete', { ...object, id, parts: [{ number: 1, etag }] });
  },
  'object/delete': (folder) => ada.call('object/delete', { ...files, key: `${folder}there` }),
  'object/delete of several': (folder) =>
    ada.call('object/delete', { ...files, keys: ['elsewhere', `${folder}there`] }),
  'object/copy': (folder) => ada.call('object/copy', { ...files, key: 'elsewhere', to: { key: `${folder}copy` } }),
  'object/copy that moves away': (folder) =>
    ada.call('object/copy', { ...files, key: `${folder}there`, to: { key: 'moved' }, move: true }),
  'object/setProperties': (folder) =>
    ada.call('object/setProperties', { ...files, key: `${folder}there`, ifMatch: '*', contentType: 'text/x-other' }),
  'PUT of an S3 tool': (folder) => tool.send(new PutObjectCommand({ ...at(`${folder}tool`), Body: 'x' })),
  'DELETE of an S3 tool': (folder) => tool.send(new DeleteObjectCommand(at(`${folder}there`))),
  'a copy of an S3 tool': (folder) =>
    tool.send(new CopyObjectCommand({ ...at(`${folder}copy`), CopySource: 'files/elsewhere' })),
  'a route with the cookie': async (folder) => {
    const visitor = await face.app.signIn('ada');
    const url = `${face.app.origin}/api/providers/main/buckets/files/object?key=${encodeURIComponent(`${folder}route`)}`;
    expect(
      (await visitor.request(url, { method: 'PUT', body: 'x', headers: { origin: face.app.origin } })).status,
    ).toBe(200);
  },
};

describe('object/watch', () => {
  it.each(Object.keys(CHANGES))('tells, without a name, of a change by %s', async (way) => {
    const folder = `ways/${way.replaceAll(/\W/g, '-')}/`;
    const dan = await watcherOf(dans);
    const before = await dan.watch(folder);
    await Promise.all([put('elsewhere'), put(`${folder}there`)]);
    await dan.hears(before);
    expect(await dan.connection.call('object/unwatch', { watch: before })).toMatchObject({ result: {} });
    const [inside, above, beside] = [
      await dan.watch(folder),
      await dan.watch('ways/'),
      await dan.watch('ways/beside/'),
    ];
    await CHANGES[way]!(folder);
    await Promise.all([dan.hears(inside), dan.hears(above)]);
    expect(dan.told.filter(({ watch }) => watch === beside)).toEqual([]);
    expect(dan.texts.at(-1)).not.toContain('ways');
  });

  it('tells nothing of keys that policy denies, whatever else of them changes', async () => {
    const [dan, witness] = [await watcher('dan'), await watcherOf(adas)];
    const secret = await dan.watch('secret/');
    const root = await dan.watch('');
    const seen = await witness.watch('secret/');
    const object = { ...files, key: 'secret/moved' };
    for (const act of [
      () => put('secret/x'),
      () => ada.call('object/copy', { ...files, key: 'secret/x', to: { key: object.key } }),
      () => ada.call('object/delete', { ...files, keys: ['secret/x', object.key] }),
    ]) {
      const before = witness.told.length;
      await act();
      await witness.hears(seen, before + 1);
      // Who may see it was told in the same turn.
      await dan.connection.call('session/get');
      expect(dan.told).toEqual([]);
    }
    await put('open/fence');
    await dan.hears(root);
    expect(dan.told.map(({ watch }) => watch)).toEqual([root]);
    expect(secret).not.toBe(root);
  });

  it('tells nothing to a key whose scope does not list there', async () => {
    const { credential } = await ada.call('apiKey/create', {
      description: 'narrow',
      scope: {
        rules: [
          {
            actions: ['objects:list'],
            resources: [{ type: 'prefix', provider: 'main', bucket: 'files', prefix: 'scope/in/' }],
          },
          { actions: ['objects:get'], resources: [{ type: 'all' }] },
        ],
      },
      expiresAt: null,
    });
    const [narrow, witness] = [await watcherOf(credential), await watcherOf(adas)];
    const [root, inside] = [await narrow.watch('scope/'), await narrow.watch('scope/in/')];
    const seen = await witness.watch('scope/');
    await put('scope/out/x');
    await witness.hears(seen);
    await narrow.connection.call('session/get');
    expect(narrow.told).toEqual([]);
    await put('scope/in/x');
    await Promise.all([narrow.hears(root), narrow.hears(inside)]);
  });

  it('decides with the rights that the caller has then', async () => {
    const { service, settings } = face.app;
    const withoutViewers: Settings = {
      ...settings,
      policy: {
        ...settings.policy,
        bindings: settings.policy.bindings.filter((each) => !('groups' in each && each.groups.includes('viewers'))),
      },
    };
    const [vic, witness] = [await watcher('vic'), await watcherOf(adas)];
    const [watch, seen] = [await vic.watch('rights/'), await witness.watch('rights/')];
    await put('rights/a');
    await vic.hears(watch);
    await witness.hears(seen);
    await service.reload(withoutViewers);
    await put('rights/b');
    await witness.hears(seen, 2);
    await vic.connection.call('session/get');
    expect(vic.told).toHaveLength(1);
    await service.reload(settings);
    await put('rights/c');
    await vic.hears(watch, 2);
  });

  it('sends at most one message a second, however much changes, and one after the last change', async () => {
    const dan = await watcher('dan');
    const watch = await dan.watch('flood/');
    const began = performance.now();
    let last = began;
    while (last - began < 2_500) {
      await Promise.all(Array.from({ length: 10 }, (_, i) => put(`flood/${i}`)));
      last = performance.now();
    }
    const keys = Array.from({ length: 1_000 }, (_, i) => `flood/${i}`);
    await ada.call('object/delete', { ...files, keys });
    last = performance.now();
    while ((dan.told.at(-1)?.at ?? 0) < last) await dan.hears(watch, dan.told.length + 1);
    expect(dan.told.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 1_000);
  });

  it('takes 8 folders of a socket, and more once one is given back', async () => {
    const dan = await watcher('dan');
    const watches = [];
    for (let i = 0; i < 8; i++) watches.push(await dan.watch(`many/${i}/`));
    expect(await dan.connection.call('object/watch', { ...files, prefix: 'many/8/' })).toMatchObject({
      error: { code: -32029, data: { code: 'rate_limited' } },
    });
    expect(await dan.connection.call('object/unwatch', { watch: watches[3]! })).toMatchObject({ result: {} });
    expect(await dan.connection.call('object/unwatch', { watch: watches[3]! })).toMatchObject({ result: {} });
    const watch = await dan.watch('many/8/');
    await put('many/3/x');
    await put('many/8/x');
    await dan.hears(watch);
    expect(dan.told).toHaveLength(1);
  });

  it('is refused without a socket, for what is no folder, and for a provider that is not there', async () => {
    for (const [method, params] of [
      ['object/watch', files],
      ['object/unwatch', { watch: '1' }],
    ] as const)
      expect(await ada.fails(method, params)).toMatchObject({ code: -32601, data: { code: 'method_not_allowed' } });
    const { connection } = await watcherOf(adas);
    const refused = async (given: object) =>
      ((await connection.call('object/watch', { ...files, ...given })) as { error?: { data?: object } }).error?.data;
    for (const prefix of ['a', '../', 'a/../', './', `${'a'.repeat(1_024)}/`, '\ud800/'])
      expect([prefix, await refused({ prefix })]).toEqual([
        prefix,
        expect.objectContaining({ code: 'invalid_request' }),
      ]);
    expect(await refused({ bucket: 'a..b' })).toMatchObject({ code: 'invalid_request' });
    expect(await refused({ provider: 'other' })).toMatchObject({ code: 'not_found' });
  });

  it('answers those who may list nothing there as any other, and tells them nothing', async () => {
    const [nobody, witness] = [await watcher('nobody'), await watcherOf(adas)];
    await nobody.watch('');
    expect(await nobody.connection.call('object/watch', { provider: 'other', bucket: 'files' })).toMatchObject({
      result: { watch: '2' },
    });
    const seen = await witness.watch('');
    await put('nobody/x');
    await witness.hears(seen);
    await nobody.connection.call('session/get');
    expect(nobody.told).toEqual([]);
  });

  it('ends with the session', async () => {
    const { access_token: credential } = await signInDesktop(face.app, 'dan');
    const dan = await watcherOf(credential);
    await dan.watch('');
    await fetch(`${face.app.origin}/v1/auth/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}` },
    });
    expect(await dan.connection.closed).toBe(4001);
    const again = await RpcConnection.open(face.app.origin, {
      origin: face.app.origin,
      authorization: `Bearer ${credential}`,
    });
    expect(again).toBe(401);
    expect(dan.told).toEqual([]);
  });
});
