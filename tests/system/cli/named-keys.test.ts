import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import Papa from 'papaparse';
import { keysNotUsed } from '../../../src/cli/policy/named-keys.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let ada: Machine;
let eve: RpcClient;
let ids: { readonly api: string; readonly s3: string };

const onFiles = { type: 'bucket' as const, provider: 'main', bucket: 'files' };
const onPhotos = { ...onFiles, bucket: 'photos' };

beforeAll(async () => {
  app = await startApp();
  const cookie = (await app.signIn('eve')).cookie(app.origin, 'svc_session');
  eve = new RpcClient(app.origin, { cookie: `svc_session=${cookie}`, origin: app.origin });
  const scopeOf = (resource: typeof onFiles) => ({
    rules: [{ actions: ['objects:get' as const], resources: [resource] }],
  });
  const api = await eve.call('apiKey/create', { description: 'nightly', scope: scopeOf(onFiles) });
  const s3 = await eve.call('s3Key/create', { provider: 'main', description: 'laptop', scope: scopeOf(onPhotos) });
  ids = { api: api.key.id, s3: s3.key.accessKeyId };
  ada = await Machine.make();
  await ada.login(app.origin, 'ada');
  await mkdir(join(ada.home, 'audit'), { mode: 0o700 });
  await writeFile(
    join(ada.home, 'svc.config.yaml'),
    dump({
      auth: { enabled: true, public_origin: app.origin, oidc: { issuer: app.issuer, client_id: 'svc' } },
      providers: [{ name: 'main', endpoint: 'https://s3.example.com' }],
      policies: [
        {
          version: 1,
          name: 'readers',
          rules: [{ effect: 'allow', actions: ['objects:get'], resources: [onFiles, onPhotos] }],
        },
      ],
      bindings: [
        { groups: ['editors'], policies: ['readers'] },
        { groups: ['team'], policies: ['readers'] },
      ],
    }),
  );
});
afterAll(async () => {
  await ada.remove();
  await app.close();
});

describe('--keys', () => {
  it('names in `svc policy who` the keys whose creator and whose scope may', async () => {
    const { status, stdout } = await ada.svc('policy', 'who', '--keys', 'objects:get', 'main/files/a.txt');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`\n  keys with which it is allowed:\n    API key ${ids.api} \\(nightly\\) of [^\n]+\n$`),
    );
    const { stdout: json } = await ada.svc('policy', 'who', '--keys', '--json', 'objects:get', 'main/photos/a.txt');
    expect(JSON.parse(json)).toMatchObject({ answers: [{ keys: [{ kind: 'S3 key', id: ids.s3 }] }] });
    expect((await ada.svc('policy', 'who', 'objects:get', 'main/files/a.txt')).stdout).not.toContain(ids.api);
  });

  it('names in `svc access review` the keys of each group that reach into the bucket', async () => {
    const { stdout } = await ada.svc('access', 'review', '--keys');
    const { data, meta } = Papa.parse<Record<string, string>>(stdout, { header: true, skipEmptyLines: true });
    expect(meta.fields).toContain('keys');
    const keysAt = Object.fromEntries(data.map(({ place, who, keys }) => [`${place}, ${who}`, keys]));
    expect(keysAt).toEqual({
      'main/files, group editors': expect.stringContaining(`API key ${ids.api} (nightly) of `),
      'main/files, group team': '',
      'main/photos, group editors': expect.stringContaining(`S3 key ${ids.s3} (laptop) of `),
      'main/photos, group team': '',
    });
    const { stdout: page } = await ada.svc('access', 'review', '--keys', '--format', 'html');
    expect(page).toContain(`S3 key ${ids.s3} (laptop) of `);
    const { stdout: without } = await ada.svc('access', 'review');
    expect(without.split('\r\n')[0]).not.toContain('keys');
  });

  it('names for `svc policy unused` the keys that are older than the period and were not used in it', () => {
    const key = {
      kind: 'S3 key' as const,
      id: 'SVC1',
      description: 'laptop',
      scope: { rules: [] },
      expiresAt: null,
      creator: { issuer: '', subject: 'eve', groups: [], name: 'Eve' },
      rotatedAt: null,
    };
    const [old, recent, used] = ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'];
    const since = { from: Date.parse('2026-02-01T00:00:00Z') };
    const never = { ...key, createdAt: old, lastUsedAt: null };
    expect(keysNotUsed([never, { ...never, lastUsedAt: old }], since)).toEqual([
      'S3 key SVC1 (laptop) of Eve was not used in this time; last use: never',
      'S3 key SVC1 (laptop) of Eve was not used in this time; last use: 2026-01-01 00:00:00Z',
    ]);
    expect(
      keysNotUsed(
        [
          { ...never, createdAt: recent },
          { ...never, lastUsedAt: used },
        ],
        since,
      ),
    ).toEqual([]);
  });

  it('needs a sign-in as administrator', async () => {
    const erik = await Machine.make();
    await erik.login(app.origin, 'eve');
    expect(
      await erik.svc('policy', 'who', '-c', join(ada.home, 'svc.config.yaml'), '--keys', 'objects:get', 'main/files/a'),
    ).toMatchObject({ status: 3, stdout: '' });
    await erik.remove();
  });
});
