import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../../openapi/openapi.d.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';

type Schemas = components['schemas'];

let app: TestApp;
/** Typed by `openapi/openapi.d.ts`, which openapi-typescript makes from the document: what is wrong here does not compile. */
let client: Client<paths>;

beforeAll(async () => {
  app = await startApp();
  const { access_token: token } = await signInDesktop(app, 'eve');
  client = createClient<paths>({ baseUrl: app.origin, headers: { authorization: `Bearer ${token}` } });
});
afterAll(() => app.close());

const at = { provider: 'main', bucket: 'files' };
const BUCKET = '/api/providers/{provider}/buckets/{bucket}';

describe('a client made from the OpenAPI document', () => {
  it('lists, writes, reads and copies, with every member typed', async () => {
    const written = await client.PUT(`${BUCKET}/object`, {
      params: { path: at, query: { key: 'typed/a.txt' }, header: { 'If-None-Match': '*' } },
      body: 'text',
      bodySerializer: String,
    });
    expect(written.data?.key).toBe('typed/a.txt');
    const copied = await client.POST(`${BUCKET}/objects/copy`, {
      params: { path: at },
      body: { key: 'typed/a.txt', to: { key: 'typed/b.txt' } },
    });
    expect(copied.data).toMatchObject({ ...at, key: 'typed/b.txt' } satisfies Partial<Schemas['CopyResult']>);

    const listed = await client.GET(`${BUCKET}/objects`, {
      params: { path: at, query: { prefix: 'typed/', delimiter: '/', limit: 10 } },
    });
    const sizes: readonly number[] = listed.data?.objects.map(({ size }) => size) ?? [];
    const cursor: string | null | undefined = listed.data?.next_cursor;
    expect([sizes, cursor]).toEqual([[4, 4], null]);

    const part = await client.GET(`${BUCKET}/object`, {
      params: { path: at, query: { key: 'typed/b.txt' }, header: { Range: 'bytes=1-2' } },
      parseAs: 'text',
    });
    expect([part.response.status, part.data]).toEqual([206, 'ex']);
    const allowed = await client.GET(`${BUCKET}/permissions`, { params: { path: at, query: { prefix: 'typed/' } } });
    expect(allowed.data?.actions.includes('objects:write')).toBe(true);
  });

  it('gets problems whose code is one of the known', async () => {
    const { error, response } = await client.GET(`${BUCKET}/object`, {
      params: { path: at, query: { key: 'missing' } },
      parseAs: 'text',
    });
    expect(response.status).toBe(404);
    expect(error?.code).toBe('not_found' satisfies Schemas['Problem']['code']);
    const again = await client.POST('/api/providers/{provider}/buckets', {
      params: { path: { provider: 'main' } },
      body: { name: 'eve-may-not' },
    });
    expect(again.error?.code).toBe('access_denied' satisfies Schemas['Problem']['code']);
    // @ts-expect-error -- a code that the service does not have
    expect(again.error?.code === 'acces_denied').toBe(false);
  });

  it('calls JSON-RPC with params that belong to the method', async () => {
    const call: Schemas['ObjectHeadCall'] = {
      jsonrpc: '2.0',
      id: 1,
      method: 'object/head',
      params: { ...at, key: 'typed/a.txt' },
    };
    const { data } = await client.POST('/rpc', { body: call });
    expect(data).toMatchObject({ jsonrpc: '2.0', id: 1, result: { key: 'typed/a.txt', size: 4 } });
    const refused = await client.POST('/rpc', {
      // @ts-expect-error -- `object/list` needs a bucket
      body: { jsonrpc: '2.0', id: 2, method: 'object/list', params: { provider: 'main' } },
    });
    expect(refused.data).toMatchObject({
      error: { data: { code: 'invalid_request' satisfies Schemas['Problem']['code'] } },
    });
  });

  it('does not compile without what is required', async () => {
    // @ts-expect-error -- the key is missing
    const noKey = await client.DELETE(`${BUCKET}/object`, { params: { path: at, query: {} } });
    expect(noKey.response.status).toBe(400);
    const noCode = await client.POST('/v1/auth/token', {
      // @ts-expect-error -- the five fields of a code exchange
      body: { grant_type: 'authorization_code' },
      bodySerializer: () => new URLSearchParams({ grant_type: 'authorization_code' }),
    });
    expect(noCode.response.status).toBe(400);
  });
});
