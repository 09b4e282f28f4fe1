import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { openUploads } from '../support/s3rver-gaps.ts';

let app: TestApp;
let dan: RpcClient;

beforeAll(async () => {
  app = await startApp();
  dan = RpcClient.bearer(app.origin, (await signInDesktop(app, 'dan')).access_token);
});
afterAll(() => app.close());

const files = { provider: 'main', bucket: 'files' } as const;
const MIB = 1024 * 1024;
const begun = () => openUploads(app.s3.server.store, 'files');

type Object = typeof files & { readonly key: string };

async function sendPart(
  client: RpcClient,
  object: Object,
  upload: { readonly id: string; readonly part: number },
  body: BodyInit,
): Promise<Response> {
  const { url, method } = await client.call('transfer/create', { ...object, direction: 'upload', upload });
  expect(method).toBe('PUT');
  return fetch(url, { method, body, duplex: 'half' } as RequestInit);
}

describe('uploads in parts', () => {
  it('take each part with a ticket of its own, tell what arrived, and join it', async () => {
    const object = { ...files, key: 'drafts/two parts ü.bin' };
    const { id } = await dan.call('upload/create', { ...object, contentType: 'image/x-two' });
    expect(await dan.call('upload/get', { ...object, id })).toEqual({ parts: [] });
    const last = await sendPart(dan, object, { id, part: 2 }, new Uint8Array(7).fill(2));
    expect({ status: last.status, said: (await last.json()) as unknown }).toMatchObject({
      status: 200,
      said: { number: 2, size: 7 },
    });
    expect((await sendPart(dan, object, { id, part: 1 }, new Uint8Array(5 * MIB).fill(1))).status).toBe(200);
    expect((await dan.call('upload/get', { ...object, id })).parts).toMatchObject([
      { number: 1, size: 5 * MIB },
      { number: 2, size: 7 },
    ]);
    expect((await dan.fails('object/head', object)).code).toBe(-32004);
    const { parts } = await dan.call('upload/get', { ...object, id });
    const gap = await dan.fails('upload/complete', {
      ...object,
      id,
      parts: [...parts, { number: 4, etag: '"x"' }].map(({ number, etag }) => ({ number, etag })),
    });
    expect(gap).toMatchObject({ code: -32009, data: { code: 'conflict', parts: [4] } });
    expect((await dan.fails('upload/complete', { ...object, id })).data).toMatchObject({ code: 'invalid_request' });
    expect(
      await dan.call('upload/complete', { ...object, id, parts: parts.map(({ number, etag }) => ({ number, etag })) }),
    ).toMatchObject({ size: 5 * MIB + 7 });
    expect(await dan.call('object/head', object)).toMatchObject({ size: 5 * MIB + 7, contentType: 'image/x-two' });
    expect((await dan.fails('upload/get', { ...object, id })).code).toBe(-32004);
  });

  it('are listed with their ids, but for those of keys that one may not write', async () => {
    const ada = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    const { id } = await dan.call('upload/create', { ...files, key: 'listed/mine' });
    const hidden = await ada.call('upload/create', { ...files, key: 'secret/listed' });
    const all = await ada.call('upload/list', files);
    expect(all.uploads.map(({ key }) => key)).toEqual(expect.arrayContaining(['listed/mine', 'secret/listed']));
    const seen = await dan.call('upload/list', { ...files, limit: 1000 });
    expect(seen.uploads).toEqual(all.uploads.filter(({ key }) => !key.startsWith('secret/')));
    expect((await dan.call('upload/list', { ...files, prefix: 'listed/' })).uploads).toMatchObject([
      { key: 'listed/mine', id },
    ]);
    await dan.call('upload/abort', { ...files, key: 'listed/mine', id });
    await ada.call('upload/abort', { ...files, key: 'secret/listed', id: hidden.id });
  });

  it('leave nothing when they are dropped', async () => {
    const object = { ...files, key: 'drafts/dropped' };
    const { id } = await dan.call('upload/create', object);
    await sendPart(dan, object, { id, part: 1 }, 'x');
    expect(await begun()).toHaveLength(1);
    await dan.call('upload/abort', { ...object, id });
    await dan.call('upload/abort', { ...object, id });
    expect(await begun()).toEqual([]);
  });

  it('are joined for the key alone that they were begun for', async () => {
    const { id } = await dan.call('upload/create', { ...files, key: 'drafts/own' });
    const other = { ...files, key: 'drafts/other', id };
    expect((await dan.fails('upload/get', other)).code).toBe(-32004);
    expect((await dan.fails('upload/complete', { ...other, parts: [{ number: 1, etag: '"x"' }] })).code).toBe(-32004);
    await dan.call('upload/abort', other);
    expect(await dan.call('upload/get', { ...files, key: 'drafts/own', id })).toEqual({ parts: [] });
    await dan.call('upload/abort', { ...files, key: 'drafts/own', id });
  });

  it('ask `objects:write` with every method, and storage nothing when it is denied', async () => {
    const secret = { ...files, key: 'secret/x' };
    app.storageCalls.reset();
    for (const [method, params] of [
      ['upload/create', secret],
      ['upload/get', { ...secret, id: 'any' }],
      ['upload/complete', { ...secret, id: 'any', parts: [{ number: 1, etag: '"x"' }] }],
      ['upload/abort', { ...secret, id: 'any' }],
      ['transfer/create', { ...secret, direction: 'upload', upload: { id: 'any', part: 1 } }],
    ] as const) {
      expect(await dan.fails(method, params)).toMatchObject({
        code: -32003,
        data: { action: 'objects:write', resource: { key: 'secret/x' }, reason: 'explicit_deny' },
      });
    }
    expect(app.storageCalls.calls).toEqual([]);
  });

  it('take an API key within both checks: what its creator may do, and its scope', async () => {
    const scope = {
      rules: [
        {
          actions: ['objects:write'],
          resources: [
            { type: 'prefix', ...files, prefix: 'drafts/' },
            { type: 'prefix', ...files, prefix: 'secret/' },
          ],
        },
      ],
    } as const;
    const { credential } = await dan.call('apiKey/create', { description: 'writes drafts', scope });
    const key = RpcClient.bearer(app.origin, credential);
    const object = { ...files, key: 'drafts/by key' };
    const { id } = await key.call('upload/create', object);
    const { number, etag } = (await (await sendPart(key, object, { id, part: 1 }, 'by key')).json()) as {
      number: number;
      etag: string;
    };
    expect(await key.call('upload/complete', { ...object, id, parts: [{ number, etag }] })).toMatchObject({ size: 6 });
    expect(await key.fails('upload/create', { ...files, key: 'elsewhere' })).toMatchObject({
      code: -32003,
      data: { reason: 'no_matching_allow' },
    });
    expect(await key.fails('upload/create', { ...files, key: 'secret/x' })).toMatchObject({
      code: -32003,
      data: { reason: 'explicit_deny' },
    });
  });
});

describe('transfer/create with `stored`', () => {
  const object = { ...files, key: 'drafts/stored' };
  const upload = { ...object, direction: 'upload' } as const;

  it('keeps with the ticket what is stored with the object, and no header of the client is', async () => {
    const stored = { 'x-amz-meta-mtime': '1580702706.789', 'content-language': 'de' };
    const { url } = await dan.call('transfer/create', { ...upload, stored });
    const headers = { 'x-amz-meta-evil': 'x', 'cache-control': 'max-age=1', 'x-amz-storage-class': 'GLACIER' };
    expect((await fetch(url, { method: 'PUT', body: 'x', headers })).status).toBe(200);
    const download = await dan.call('transfer/create', { ...object, direction: 'download' });
    const told = (await fetch(download.url)).headers;
    expect([...told].filter(([name, value]) => /^x-amz|language|GLACIER|max-age/.test(`${name} ${value}`))).toEqual([
      ['content-language', 'de'],
      ['x-amz-meta-mtime', '1580702706.789'],
    ]);
  });

  it('gives a ticket that keeps no other headers with `keep`', async () => {
    const first = await dan.call('transfer/create', upload);
    const etag = ((await (await fetch(first.url, { method: 'PUT', body: 'x' })).json()) as { etag: string }).etag;
    const { url } = await dan.call('transfer/create', { ...upload, stored: { 'content-language': 'de' } });
    const kept = await fetch(`${url}?keep=1`, { method: 'PUT', body: 'y', headers: { 'if-match': etag } });
    expect([kept.status, await kept.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [{ path: 'keep', message: 'goes with a ticket that was created without `stored`' }],
      }),
    ]);
  });

  it.each([
    ['for a download', { direction: 'download', stored: {} }],
    ['for a part', { upload: { id: 'any', part: 1 }, stored: {} }],
    ['of a name that is not stored', { stored: { 'x-amz-acl': 'public-read' } }],
    ['of more than a ticket keeps', { stored: { 'cache-control': 'x'.repeat(4_096) } }],
  ] as const)('is refused %s', async (_, more) => {
    expect(await dan.fails('transfer/create', { ...upload, ...more })).toMatchObject({
      code: -32602,
      data: { code: 'invalid_request', detail: expect.stringContaining('stored') },
    });
  });
});

describe('transfer/create with `upload`', () => {
  it('gives a ticket for one part, once, and of known length', async () => {
    const object = { ...files, key: 'drafts/ticket' };
    const { id } = await dan.call('upload/create', object);
    const { url } = await dan.call('transfer/create', { ...object, direction: 'upload', upload: { id, part: 1 } });
    expect((await fetch(url, { method: 'PUT', body: 'part' })).status).toBe(200);
    expect((await fetch(url, { method: 'PUT', body: 'part' })).status).toBe(404);
    const unknown = await sendPart(dan, object, { id, part: 2 }, new Blob(['of unknown length']).stream());
    expect({ status: unknown.status, said: (await unknown.json()) as unknown }).toMatchObject({
      status: 400,
      said: { detail: 'a part needs a `Content-Length` header' },
    });
    await dan.call('upload/abort', { ...object, id });
  });

  it('refuses a part in a download, and numbers that no part has', async () => {
    const object = { ...files, key: 'drafts/ticket' };
    expect(
      await dan.fails('transfer/create', { ...object, direction: 'download', upload: { id: 'any', part: 1 } }),
    ).toMatchObject({ code: -32602, data: { code: 'invalid_request' } });
    for (const part of [0, 10_001, 1.5])
      expect(
        (await dan.fails('transfer/create', { ...object, direction: 'upload', upload: { id: 'any', part } })).code,
      ).toBe(-32602);
  });
});
