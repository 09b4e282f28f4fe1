import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';

let app: TestApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp();
  for (const account of ['eve', 'vic', 'dan'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

const FILES = '/api/providers/main/buckets/files';
const ask = (account: string, method: string, path: string, body: string | object = '') =>
  rawRequest(app.origin, FILES + path, {
    method,
    headers: {
      cookie: `svc_session=${cookies.get(account)!}`,
      'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
    },
    ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const at = (what: string, key: string) => `/object${what}?key=${encodeURIComponent(key)}`;
const put = async (key: string) => (await ask('eve', 'PUT', at('', key), 'text')).json() as { readonly etag: string };

it('PUT …/object/properties changes what is named, and only of the version that was read', async () => {
  const { etag } = await put('described.txt');
  const change = (body: object) => ask('eve', 'PUT', at('/properties', 'described.txt'), { if_match: etag, ...body });
  const colour = { name: 'colour', value: 'grün' };
  expect((await change({ metadata: [colour, { name: 'kept', value: '1' }] })).status).toBe(200);
  expect((await change({ content_type: 'text/x-note', metadata: [{ name: 'kept', value: null }] })).status).toBe(200);
  const { headers, body } = await ask('eve', 'GET', at('', 'described.txt'));
  expect([body.toString(), headers['content-type'], headers['x-amz-meta-kept']]).toEqual([
    'text',
    'text/x-note',
    undefined,
  ]);
  expect(Buffer.from(headers['x-amz-meta-colour'] as string, 'latin1').toString()).toBe('grün');
  const late = await change({ if_match: '"other"', content_type: 'text/html' });
  expect([late.status, late.json()]).toEqual([412, expect.objectContaining({ code: 'precondition_failed' })]);
  for (const metadata of [
    [{ name: 'Upper', value: 'x' }],
    [{ name: 'a b', value: 'x' }],
    [{ name: 'a', value: 'x\r\ny' }],
  ])
    expect((await change({ metadata })).status).toBe(400);
});

it('PUT …/object/tags replaces the tags', async () => {
  await put('tagged.txt');
  const tags = [{ key: 'state', value: 'neu ü' }];
  expect((await ask('eve', 'PUT', at('/tags', 'tagged.txt'), { tags })).json()).toEqual({ key: 'tagged.txt' });
  const twice = [...tags, { key: 'state', value: 'other' }];
  expect((await ask('eve', 'PUT', at('/tags', 'tagged.txt'), { tags: twice })).status).toBe(400);
  const eleven = Array.from({ length: 11 }, (_, number) => ({ key: String(number), value: '' }));
  expect((await ask('eve', 'PUT', at('/tags', 'tagged.txt'), { tags: eleven })).status).toBe(400);
});

it('…/object/properties asks objects:get and objects:write, and …/object/tags objects:write', async () => {
  await put('listed only.txt');
  const codeOf = async (account: string, what: string, body: object) => {
    const answer = await ask(account, 'PUT', at(what, 'listed only.txt'), body);
    return [answer.status, (answer.json() as { action?: string }).action];
  };
  expect(await codeOf('vic', '/properties', { if_match: '*' })).toEqual([403, 'objects:write']);
  expect(await codeOf('dan', '/properties', { if_match: '*' })).toEqual([403, 'objects:get']);
  expect(await codeOf('vic', '/tags', { tags: [] })).toEqual([403, 'objects:write']);
  expect(await codeOf('dan', '/tags', { tags: [{ key: 'a', value: 'b' }] })).toEqual([200, undefined]);
});
