import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { RpcClient } from '../support/rpc-client.ts';

let app: TestApp;
const people = new Map<string, RpcClient>();
const as = (name: string) => people.get(name)!;

beforeAll(async () => {
  app = await startApp();
  for (const name of ['ada', 'eve', 'pia', 'nobody']) {
    const cookie = (await app.signIn(name)).cookie(app.origin, 'svc_session');
    people.set(name, new RpcClient(app.origin, { cookie: `svc_session=${cookie}`, origin: app.origin }));
  }
});
afterAll(() => app.close());

const asked = { provider: 'main', description: 'nightly backup' };
const failure = (call: Promise<unknown>) => call.then(String, String);

describe('S3 keys', () => {
  it('are made with their secret, which is shown once, and belong to their creator', async () => {
    const { key, secretAccessKey } = await as('eve').call('s3Key/create', asked);
    expect(secretAccessKey).toMatch(/^[A-Za-z0-9_-]{40}$/);
    expect(key).toMatchObject({
      accessKeyId: expect.stringMatching(/^SVC/),
      provider: 'main',
      scope: { rules: [{ resources: [{ type: 'provider', provider: 'main' }] }] },
      creator: { subject: 'eve', groups: ['editors'] },
      rotatedAt: null,
    });
    const days = (Date.parse(key.expiresAt!) - Date.parse(key.createdAt)) / 86_400_000;
    expect(days).toBe(365);
    const { keys } = await as('eve').call('s3Key/list', {});
    expect(keys).toEqual([key]);
    expect(JSON.stringify(keys)).not.toContain(secretAccessKey);
    expect((await as('pia').call('s3Key/list', {})).keys).toEqual([]);
    const rotated = await as('eve').call('s3Key/rotate', { accessKeyId: key.accessKeyId });
    expect(rotated.secretAccessKey).not.toBe(secretAccessKey);
    const scope = {
      rules: [{ actions: ['objects:list' as const], resources: [{ type: 'provider' as const, provider: 'main' }] }],
    };
    const narrowed = await as('eve').call('s3Key/replaceScope', { accessKeyId: key.accessKeyId, scope });
    expect(narrowed.key.scope).toEqual(scope);
    for (const method of ['s3Key/rotate', 's3Key/revoke'] as const)
      expect(await failure(as('pia').call(method, { accessKeyId: key.accessKeyId }))).toContain('no S3 key');
    await as('eve').call('s3Key/revoke', { accessKeyId: key.accessKeyId });
    expect((await as('eve').call('s3Key/list', {})).keys).toEqual([]);
  });

  it('are no API keys, and API keys no S3 keys', async () => {
    const { key, secretAccessKey } = await as('eve').call('s3Key/create', asked);
    expect((await as('eve').call('apiKey/list', {})).keys).toEqual([]);
    for (const bearer of [secretAccessKey, `svc_ak_${key.accessKeyId}_${secretAccessKey}`])
      expect(await failure(RpcClient.bearer(app.origin, bearer).call('session/get', {}))).toContain('session_required');
  });

  it('are for a provider at which one may do something, and name no other', async () => {
    for (const [name, provider] of [
      ['nobody', 'main'],
      ['eve', 'gone'],
    ] as const)
      expect(await failure(as(name).call('s3Key/create', { ...asked, provider }))).toContain(
        `you may do nothing at a provider \`${provider}\``,
      );
    const scope = { rules: [{ actions: ['objects:list' as const], resources: [{ type: 'all' as const }] }] };
    expect(await failure(as('eve').call('s3Key/create', { ...asked, scope }))).toContain('scope');
  });

  it('are listed and revoked by administrators', async () => {
    await as('pia').call('s3Key/create', asked);
    const { keys, total } = await as('ada').call('s3Key/listAll', { person: 'pia' });
    expect([total, keys[0]?.creator.subject]).toEqual([1, 'pia']);
    expect(await failure(as('eve').call('s3Key/listAll', {}))).toContain('admin');
    expect(await as('ada').call('s3Key/revokeAll', { issuer: app.issuer, subject: 'pia' })).toEqual({ revoked: 1 });
    expect((await as('pia').call('s3Key/list', {})).keys).toEqual([]);
  });
});
