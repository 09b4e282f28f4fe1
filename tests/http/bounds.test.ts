import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileFaults } from '../../src/wire/fault.ts';
import { rpcSchemas } from '../../src/wire/rpc.ts';
import { KEPT_TEXT } from '../../src/wire/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { workedMs } from '../support/worked.ts';

type Node = { readonly [keyword: string]: unknown };
type Named = readonly [name: string, schema: Node];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_048_576;

const namedIn = (schema: Node, keyword: string): Named[] =>
  Object.entries((schema[keyword] ?? {}) as Record<string, Node>);
const alternativesOf = (schema: Node): Node[] =>
  ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as Node[]);

/** What may be as large as a client likes, by its path. */
function unbounded(schema: Node, path: string): string[] {
  if ('const' in schema || 'enum' in schema) return [];
  const types = [schema['type'] ?? []].flat() as string[];
  const parts = alternativesOf(schema);
  // Without a type it takes texts and lists.
  const may = (type: string) => types.includes(type) || (types.length === 0 && parts.length === 0);
  const found: string[] = [];
  if (may('string') && !('maxLength' in schema)) found.push(`${path}: text without maxLength`);
  if (may('array') && !('maxItems' in schema)) found.push(`${path}: list without maxItems`);
  if (types.includes('object') && schema['additionalProperties'] !== false && !('maxProperties' in schema))
    found.push(`${path}: object without maxProperties`);
  if ('items' in schema) found.push(...unbounded(schema['items'] as Node, `${path}[]`));
  for (const [name, member] of namedIn(schema, 'properties')) found.push(...unbounded(member, `${path}.${name}`));
  // The alternatives beside a type only say more of what the type has said.
  if (types.length === 0) parts.forEach((part, i) => found.push(...unbounded(part, `${path}|${i}`)));
  return found;
}

/** Every text in a schema, by its path. */
function textsIn(schema: Node, path: string): Named[] {
  if ('const' in schema || 'enum' in schema) return [];
  if ([schema['type']].flat().includes('string')) return [[path, schema]];
  const beneath = [
    ...namedIn(schema, 'properties'),
    ...alternativesOf(schema).map((part, i): Named => [`|${i}`, part]),
  ];
  if ('items' in schema) beneath.push(['[]', schema['items'] as Node]);
  return beneath.flatMap(([name, part]) => textsIn(part, `${path}.${name}`));
}

/** The largest JSON that a schema takes when each character is one byte. */
function largestJson(schema: Node): number {
  if ('const' in schema) return JSON.stringify(schema['const']).length;
  if ('enum' in schema) return Math.max(...(schema['enum'] as unknown[]).map((value) => JSON.stringify(value).length));
  if (schema['type'] === 'array') return 2 + Number(schema['maxItems']) * (largestJson(schema['items'] as Node) + 1);
  if (schema['type'] === 'object')
    return (
      2 + namedIn(schema, 'properties').reduce((sum, [name, member]) => sum + name.length + 4 + largestJson(member), 0)
    );
  if ('oneOf' in schema) return Math.max(...(schema['oneOf'] as Node[]).map(largestJson));
  return 'maxLength' in schema ? Number(schema['maxLength']) + 2 : 24;
}

describe('what a request may hold', () => {
  it('has an end on every route: texts, lists, and the body around them', () => {
    for (const { method, path, params, query, body, bodyType, maxBodyBytes } of app.rows) {
      for (const [part, schema] of Object.entries({ params, query, body })) {
        if (typeof schema === 'object')
          expect([`${method} ${path}`, unbounded(schema as Node, part)]).toEqual([`${method} ${path}`, []]);
      }
      if (typeof body !== 'object' || bodyType !== 'application/json') continue;
      // What fits the schema fits the limit, and the limit is not for something else.
      const largest = largestJson(body as Node);
      expect([
        `${method} ${path}`,
        largest,
        maxBodyBytes >= largest && maxBodyBytes <= Math.max(64 * KIBIBYTE, 1.1 * largest),
      ]).toEqual([`${method} ${path}`, largest, true]);
    }
  });

  it('has an end in every method of RPC', () => {
    for (const [method, { params }] of Object.entries(rpcSchemas))
      expect([method, unbounded(params as object as Node, 'params')]).toEqual([method, []]);
  });

  it('is text that every database keeps as it is, except names of objects and the parameters of a sign-in', () => {
    const texts = [
      ...app.rows.flatMap(({ method, path, params, query, body }) =>
        [params, query, body].flatMap((part) =>
          typeof part === 'object' ? textsIn(part as Node, `${method} ${path}`) : [],
        ),
      ),
      ...Object.entries(rpcSchemas).flatMap(([method, { params }]) => textsIn(params as object as Node, method)),
    ];
    expect(texts.length).toBeGreaterThan(100);
    for (const [path, schema] of texts) {
      if (/\.(?:key|keys\.\[\]|prefix|startAfter|prefixes\.\[\]|resource)$|^get \/(?:api|v1)\/auth\//.test(path))
        continue;
      const faultsOf = compileFaults(schema);
      const written = 'x'.repeat(Number(schema['minLength'] ?? 1));
      for (const end of ['\0', '\ud800', '\udc00'])
        expect([path, faultsOf(written.slice(1) + end, (member) => member)]).toEqual([
          path,
          [{ path: '', message: expect.any(String) }],
        ]);
      if (!('pattern' in schema) || schema['pattern'] === KEPT_TEXT)
        expect([path, faultsOf(`${written.slice(1)}😀`, (member) => member)]).toEqual([path, []]);
    }
  });

  it('ends at its first fault: 349,000 empty selectors do not stop the service', async () => {
    const eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const sendScope = (selectors: number, padding = '') =>
      eve.send(
        `{"jsonrpc":"2.0","id":1,"method":"apiKey/create","params":{"description":"x","scope":{"rules":[{"actions":["objects:get"],"resources":[${'{},'.repeat(selectors)}{}]}]}}${padding}}`,
      );
    const since = workedMs();
    expect(await (await sendScope(349_000)).json()).toMatchObject({ id: null, error: { code: -32600 } });
    const { error } = (await (await sendScope(10_000)).json()) as {
      error: { data: { code: string; errors: unknown[] } };
    };
    expect(error.data).toMatchObject({ code: 'invalid_request' });
    expect(error.data.errors.length).toBeLessThan(20);
    expect(workedMs() - since).toBeLessThan(10_000);
    expect(await eve.call('session/get', {})).toMatchObject({ subject: 'eve' });
  });

  it('is at most 64 KiB for `apiKey/…`, in a batch too, and 1 MiB for all else', async () => {
    const eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const call = (method: string) => ({ jsonrpc: '2.0', id: 1, method });
    const padded = (message: unknown, bytes: number) => {
      const text = JSON.stringify(message);
      return text + ' '.repeat(bytes - text.length);
    };
    const codeOf = async (body: string) =>
      ((await (await eve.send(body)).json()) as { error?: { data: { code: string } } }).error?.data.code;
    expect(await codeOf(padded(call('apiKey/list'), 64 * KIBIBYTE))).toBeUndefined();
    expect(await codeOf(padded(call('apiKey/list'), 64 * KIBIBYTE + 1))).toBe('payload_too_large');
    expect(await codeOf(padded(call('session/get'), MEBIBYTE))).toBeUndefined();
    expect((await eve.send(padded(call('session/get'), MEBIBYTE + 1))).status).toBe(413);
    const batch = (await (
      await eve.send(padded([call('session/get'), call('apiKey/list')], 64 * KIBIBYTE + 1))
    ).json()) as object[];
    expect(batch).toMatchObject([{ result: { subject: 'eve' } }, { error: { data: { code: 'payload_too_large' } } }]);
  });

  it.each([
    ['is nested more than 16 deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['has more than 20500 members', `{${Array.from({ length: 60_000 }, (_, i) => `"${i}":0`).join(',')}}`],
    ['has more than 10500 lists and objects', `[${'{},'.repeat(20_000)}{}]`],
  ])('%s: refused before it is parsed, on every face', async (excess, json) => {
    const cookie = `svc_session=${(await app.signIn('eve')).cookie(app.origin, 'svc_session')!}`;
    const answer = await fetch(`${app.origin}/api/providers/main/buckets/files/archive`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: json,
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', errors: [{ path: 'body', message: excess }] }),
    ]);
    const eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const call = `{"jsonrpc":"2.0","id":1,"method":"session/get","params":${json}}`;
    const refusal = {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: `the message ${excess}`, data: { code: 'invalid_request' } },
    };
    expect(await (await eve.send(call)).json()).toEqual(refusal);
  });

  it('does not come back in the answer as a whole', async () => {
    const eve = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const answer = await (
      await eve.send(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session/get', params: { ['x'.repeat(900_000)]: 1 } }),
      )
    ).text();
    expect(JSON.parse(answer)).toMatchObject({ error: { data: { code: 'invalid_request' } } });
    expect(answer.length).toBeLessThan(2_000);
  });
});
