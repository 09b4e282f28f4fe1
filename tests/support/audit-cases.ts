import { setTimeout as wait } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { RpcMethodName } from '../../src/wire/rpc.ts';
import type { TestApp } from './app.ts';
import { signInDesktop } from './desktop-client.ts';
import { WORKERS } from './one-process.ts';
import { rawRequest, type RawAnswer, type RawRequest } from './raw-request.ts';
import { RpcClient } from './rpc-client.ts';
import { Visitor } from './visitor.ts';

export type People = {
  readonly app: TestApp;
  readonly cookies: ReadonlyMap<string, string>;
  readonly bearers: ReadonlyMap<string, string>;
  readonly apiKey: string;
  /** `ada`, `dan`, or `key`: an API key of `ada` that reads. */
  rpc(account: string): RpcClient;
  http(account: string, method: string, path: string, request?: RawRequest): Promise<RawAnswer>;
};

/** A provider that cannot be reached, beside the one that can. */
export const withGoneProvider = (config: Readonly<Record<string, unknown>>) => ({
  ...config,
  providers: [
    ...(config['providers'] as object[]),
    {
      name: 'gone',
      type: 's3',
      endpoint: 'http://127.0.0.1:1',
      path_style: true,
      credentials: { access_key_id: 'x', secret_access_key: 'x' },
    },
  ],
});

/** Signs people in, in the browser and at the desktop, and makes an API key. */
export async function signInPeople(app: TestApp): Promise<People> {
  const cookies = new Map<string, string>();
  const bearers = new Map<string, string>();
  for (const account of ['ada', 'dan']) {
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
    bearers.set(account, (await signInDesktop(app, account)).access_token);
  }
  const key = await RpcClient.bearer(app.origin, bearers.get('ada')!).call('apiKey/create', {
    description: 'k',
    scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
    expiresAt: null,
  });
  return {
    app,
    cookies,
    bearers,
    apiKey: key.credential,
    rpc: (account) => RpcClient.bearer(app.origin, account === 'key' ? key.credential : bearers.get(account)!),
    http: (account, method, path, { headers, body } = {}) =>
      rawRequest(app.origin, path, {
        method,
        headers: { cookie: `svc_session=${cookies.get(account)!}`, ...headers },
        ...(body !== undefined && { body }),
      }),
  };
}

/** A request, and what its audit line holds: undefined when it has none. `send` gives the request id. */
export type Case = {
  readonly send: (people: People) => Promise<string>;
  readonly line: Readonly<Record<string, unknown>> | undefined;
};
type Cases = Readonly<Record<string, Case>>;

/** The audit lines so far, or those of one request: they are written when the answer has ended. */
export async function auditLines(app: TestApp, requestId?: string): Promise<Record<string, unknown>[]> {
  // A worker writes its line a moment after its answer.
  for (let tries = WORKERS === undefined ? 1 : 100; ; tries -= 1) {
    await wait(20);
    const lines = app
      .logged()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['audit'] === true && (requestId === undefined || line['requestId'] === requestId));
    if (lines.length > 0 || tries === 1) return lines;
  }
}

const NOBODYS_ID = '0'.repeat(24);
const FILES = '/api/providers/main/buckets/files';
const GONE = '/api/providers/gone/buckets/files';
const json = { 'content-type': 'application/json' };
const idOf = (answer: { readonly headers: RawAnswer['headers'] }) => answer.headers['x-request-id'] as string;

const http =
  (account: string, method: string, path: string, body?: unknown): Case['send'] =>
  async (people) =>
    idOf(
      await people.http(
        account,
        method,
        path,
        body === undefined
          ? {}
          : {
              headers: typeof body === 'string' ? {} : json,
              body: typeof body === 'string' ? body : JSON.stringify(body),
            },
      ),
    );

const rpc =
  (account: string, method: RpcMethodName, params: unknown): Case['send'] =>
  async (people) =>
    (await people.rpc(account).send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).headers.get(
      'x-request-id',
    ) ?? '';

const ada = {
  subject: 'ada',
  name: 'Ada Admin',
  issuer: expect.stringMatching(/^http/),
  credentialId: expect.any(String),
};
const dan = { ...ada, subject: 'dan', name: 'Dan Denied' };
/** The members that name an object or a bucket, which is written here as `provider/bucket/key`. */
const named = (place: string) => {
  const [, provider, bucket, key] = /^([^/]+)\/([^/]+)(?:\/(.+))?$/.exec(place)!;
  return key === undefined ? { provider, bucket } : { provider, bucket, key };
};
const at = (place: string, action: string, rest: object) => ({ ...named(place), action, ...rest });
const denied = (place: string, action: string) =>
  at(place, action, { outcome: 'denied', why: 'explicit_deny', rule: 'team 2' });
const done = { outcome: 'done' } as const;
const failed = { outcome: 'failed' } as const;
const no = undefined;

/** What a change of one object says, on either face. */
function changes(
  operation: string,
  action: string,
  via: string,
  send: (account: string, place: typeof FILES | typeof GONE, key: string) => Case['send'],
  ends: { readonly done?: boolean } = {},
): Cases {
  return {
    ...(ends.done === false
      ? {}
      : {
          done: {
            send: send('dan', FILES, 'open/a'),
            line: { operation, ...done, ...dan, via, resources: [at('main/files/open/a', action, done)] },
          },
        }),
    denied: {
      send: send('dan', FILES, 'secret/a'),
      line: {
        operation,
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        via,
        resources: [denied('main/files/secret/a', action)],
      },
    },
    failed: {
      send: send('ada', GONE, 'open/a'),
      line: {
        operation,
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        via,
        resources: [at('gone/files/open/a', action, failed)],
      },
    },
  };
}

/** What a change of one version says. The storage of these tests keeps no versions, so nothing is ever done. */
function changesOfVersion(
  operation: string,
  actions: readonly string[],
  send: (account: string, place: typeof FILES | typeof GONE, key: string) => Case['send'],
  version: { readonly version?: string } = { version: 'v1' },
): Cases {
  const [first, ...others] = actions;
  return {
    denied: {
      send: send('dan', FILES, 'secret/a'),
      line: {
        operation,
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        resources: [
          at('main/files/secret/a', first!, { outcome: 'denied', why: 'no_matching_allow' }),
          ...others.map((action) => denied('main/files/secret/a', action)),
        ],
      },
    },
    failed: {
      send: send('ada', GONE, 'open/a'),
      line: {
        operation,
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: actions.map((action) => at('gone/files/open/a', action, { ...failed, ...version })),
      },
    },
  };
}

/** A picture of one pixel. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64');
const query = (place: string, path: string, key: string) => `${place}${path}?key=${encodeURIComponent(key)}`;
const admin = (path: string, method = 'GET'): Cases => ({
  done: { send: http('ada', method, path), line: no },
  denied: {
    send: http('dan', method, path),
    line: {
      operation: expect.any(String),
      outcome: 'denied',
      why: 'admin_required',
      ...dan,
      via: 'web',
      resources: [],
    },
  },
});
const quiet = (path: string): Cases => ({ done: { send: http('ada', 'GET', path), line: no } });
const twice = (rule: 'read' | 'write') => `objects:${rule === 'read' ? 'get' : 'write'}`;

type SendOn = (account: string, place: typeof FILES | typeof GONE, key: string) => Case['send'];

function ofTags(via: string, send: SendOn): Cases {
  return {
    ...changes('object/setTags', 'objects:write', via, send, { done: false }),
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/tagged'), { body: 'x' });
        return send('dan', FILES, 'open/tagged')(people);
      },
      line: {
        operation: 'object/setTags',
        ...done,
        ...dan,
        via,
        resources: [at('main/files/open/tagged', 'objects:write', done)],
      },
    },
  };
}

/** The properties of an object are read and written. */
function ofProperties(via: string, send: SendOn): Cases {
  const both = (place: string, rest: object) => [at(place, 'objects:get', rest), at(place, 'objects:write', rest)];
  const line = { operation: 'object/setProperties', via };
  return {
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/properties'), { body: 'x' });
        return send('dan', FILES, 'open/properties')(people);
      },
      line: { ...line, ...done, ...dan, resources: both('main/files/open/properties', done) },
    },
    denied: {
      send: send('dan', FILES, 'secret/a'),
      line: {
        ...line,
        outcome: 'denied',
        ...dan,
        resources: [denied('main/files/secret/a', 'objects:get'), denied('main/files/secret/a', 'objects:write')],
      },
    },
    failed: {
      send: send('ada', GONE, 'open/a'),
      line: { ...line, ...failed, why: 'storage_unavailable', ...ada, resources: both('gone/files/open/a', failed) },
    },
  };
}

export const HTTP_CASES: Readonly<Record<string, Cases>> = {
  'get /api/providers/:provider/permissions': quiet('/api/providers/main/permissions'),
  'get /api/providers/:provider/buckets/:bucket/permissions': {
    ...quiet(`${FILES}/permissions`),
    failed: {
      send: http('dan', 'GET', '/api/providers/main/buckets/X/permissions'),
      line: { operation: 'permission/list', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'post /api/providers/:provider/buckets/:bucket/permissions': {
    done: { send: http('dan', 'POST', `${FILES}/permissions`, { keys: ['secret/a'] }), line: no },
    failed: {
      send: http('dan', 'POST', `${FILES}/permissions`, {}),
      line: { operation: 'permission/list', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'get /api/places': quiet('/api/places'),
  'post /api/places': {
    done: {
      send: http('dan', 'POST', '/api/places', {
        mark: 'opened',
        places: [{ provider: 'main', bucket: 'files', prefix: '' }],
      }),
      line: no,
    },
    failed: {
      send: http('dan', 'POST', '/api/places', {}),
      line: { operation: 'place/mark', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/objects': {
    ...quiet(`${FILES}/objects`),
    failed: {
      send: http('ada', 'GET', `${GONE}/objects`),
      line: {
        operation: 'object/list',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', bucket: 'files', prefix: '', outcome: 'failed' }],
      },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/search': {
    ...quiet(`${FILES}/search?q=x`),
    failed: {
      send: http('ada', 'GET', `${GONE}/search?q=x`),
      line: {
        operation: 'object/search',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', bucket: 'files', prefix: '', outcome: 'failed' }],
      },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/size': {
    ...quiet(`${FILES}/size`),
    failed: {
      send: http('ada', 'GET', `${GONE}/size`),
      line: {
        operation: 'object/size',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', bucket: 'files', prefix: '', outcome: 'failed' }],
      },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/versions': {
    denied: {
      send: http('dan', 'GET', query(FILES, '/versions', 'open/a')),
      line: {
        operation: 'object/listVersions',
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        resources: [at('main/files/open/a', 'objects:versions', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: http('ada', 'GET', `${GONE}/versions`),
      line: {
        operation: 'object/listVersions',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', bucket: 'files', prefix: '', outcome: 'failed' }],
      },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/info': {
    ...quiet(`${FILES}/info`),
    denied: {
      send: http('dan', 'GET', '/api/providers/gone/buckets/files/info'),
      line: {
        operation: 'bucket/info',
        outcome: 'denied',
        ...dan,
        resources: [at('gone/files', 'buckets:list', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
  },
  'post /api/providers/:provider/buckets/:bucket/object/restore': changesOfVersion(
    'object/restore',
    ['objects:restore', 'objects:write'],
    (who, place, key) => http(who, 'POST', `${place}/object/restore`, { key, version: 'v1' }),
  ),
  'post /api/providers/:provider/buckets/:bucket/objects/restore': {
    'dry run': {
      send: http('dan', 'POST', `${FILES}/objects/restore`, { at: '2026-01-31T17:00:00Z', dry_run: true }),
      line: no,
    },
    done: {
      send: http('dan', 'POST', `${FILES}/objects/restore`, { at: '2026-01-31T17:00:00Z' }),
      line: {
        operation: 'object/restoreFolder',
        ...done,
        ...dan,
        resources: [{ provider: 'main', bucket: 'files', prefix: '', outcome: 'done' }],
      },
    },
    failed: {
      send: http('ada', 'POST', `${GONE}/objects/restore`, { at: '2026-01-31T17:00:00Z' }),
      line: {
        operation: 'object/restoreFolder',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', bucket: 'files', prefix: '', outcome: 'failed' }],
      },
    },
  },
  'post /api/providers/:provider/buckets/:bucket/object/unarchive': changesOfVersion(
    'object/unarchive',
    ['objects:restore'],
    (who, place, key) => http(who, 'POST', `${place}/object/unarchive`, { key }),
    {},
  ),
  'post /api/providers/:provider/buckets/:bucket/object/purge': changesOfVersion(
    'object/purge',
    ['objects:purge'],
    (who, place, key) => http(who, 'POST', `${place}/object/purge`, { key, version: 'v1' }),
  ),
  'delete /api/providers/:provider/buckets/:bucket/object': changes(
    'object/delete',
    'objects:delete',
    'web',
    (who, place, key) => http(who, 'DELETE', query(place, '/object', key)),
  ),
  'post /api/providers/:provider/buckets/:bucket/objects/delete': {
    'done in part': {
      send: http('dan', 'POST', `${FILES}/objects/delete`, { keys: ['open/b', 'secret/b'] }),
      line: {
        operation: 'object/delete',
        outcome: 'partly',
        ...dan,
        resources: [at('main/files/open/b', 'objects:delete', done), denied('main/files/secret/b', 'objects:delete')],
      },
    },
    denied: {
      send: http('dan', 'POST', `${FILES}/objects/delete`, { keys: ['secret/b'] }),
      line: {
        operation: 'object/delete',
        outcome: 'denied',
        ...dan,
        resources: [denied('main/files/secret/b', 'objects:delete')],
      },
    },
    failed: {
      send: http('ada', 'POST', `${GONE}/objects/delete`, { keys: ['b'] }),
      line: {
        operation: 'object/delete',
        ...failed,
        ...ada,
        resources: [expect.objectContaining(at('gone/files/b', 'objects:delete', failed))],
      },
    },
  },
  'post /api/providers/:provider/buckets/:bucket/objects/copy': {
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/from'), { body: 'x' });
        return http('dan', 'POST', `${FILES}/objects/copy`, { key: 'open/from', to: { key: 'open/to' }, move: true })(
          people,
        );
      },
      line: {
        operation: 'object/copy',
        ...done,
        ...dan,
        resources: [
          at('main/files/open/from', 'objects:get', done),
          at('main/files/open/to', 'objects:write', done),
          at('main/files/open/from', 'objects:delete', done),
        ],
      },
    },
    denied: {
      send: http('dan', 'POST', `${FILES}/objects/copy`, { key: 'open/from', to: { key: 'secret/to' } }),
      line: {
        operation: 'object/copy',
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        resources: [
          at('main/files/open/from', 'objects:get', { outcome: 'untouched' }),
          denied('main/files/secret/to', 'objects:write'),
        ],
      },
    },
    failed: {
      send: http('ada', 'POST', `${FILES}/objects/copy`, { key: 'open/none', to: { key: 'open/to' } }),
      line: {
        operation: 'object/copy',
        ...failed,
        why: 'not_found',
        ...ada,
        resources: [
          at('main/files/open/none', 'objects:get', failed),
          at('main/files/open/to', 'objects:write', failed),
        ],
      },
    },
  },
  'post /api/providers/:provider/buckets/:bucket/object/presign': {
    done: {
      send: http('dan', 'POST', `${FILES}/object/presign`, { key: 'open/a', method: 'GET', expires_in: 60 }),
      line: {
        operation: 'object/presign',
        ...done,
        ...dan,
        resources: [at('main/files/open/a', 'objects:presign', done), at('main/files/open/a', twice('read'), done)],
      },
    },
    denied: {
      send: http('dan', 'POST', `${FILES}/object/presign`, { key: 'secret/a', method: 'PUT', expires_in: 60 }),
      line: {
        operation: 'object/presign',
        outcome: 'denied',
        ...dan,
        resources: [denied('main/files/secret/a', 'objects:presign'), denied('main/files/secret/a', twice('write'))],
      },
    },
    failed: {
      send: http('ada', 'POST', `${FILES}/object/presign`, { key: 'a', method: 'POST', expires_in: 60 }),
      line: { operation: 'object/presign', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'put /api/providers/:provider/buckets/:bucket/object/properties': ofProperties('web', (who, place, key) =>
    http(who, 'PUT', query(place, '/object/properties', key), { if_match: '*' }),
  ),
  'put /api/providers/:provider/buckets/:bucket/object/tags': ofTags('web', (who, place, key) =>
    http(who, 'PUT', query(place, '/object/tags', key), { tags: [{ key: 'a', value: 'b' }] }),
  ),
  'get /api/providers/:provider/buckets/:bucket/object': {
    ...changes(
      'object/read',
      'objects:get',
      'web',
      (who, place, key) => http(who, 'GET', query(place, '/object', key)),
      { done: false },
    ),
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/read'), { body: 'x' });
        return http('dan', 'GET', query(FILES, '/object', 'open/read'))(people);
      },
      line: { operation: 'object/read', ...done, ...dan, resources: [at('main/files/open/read', 'objects:get', done)] },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/object/thumbnail': {
    ...changes(
      'object/thumbnail',
      'objects:get',
      'web',
      (who, place, key) => http(who, 'GET', query(place, '/object/thumbnail', key)),
      { done: false },
    ),
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/dot.gif'), { body: DOT });
        return http('dan', 'GET', query(FILES, '/object/thumbnail', 'open/dot.gif'))(people);
      },
      line: {
        operation: 'object/thumbnail',
        ...done,
        ...dan,
        resources: [at('main/files/open/dot.gif', 'objects:get', done)],
      },
    },
  },
  'put /api/providers/:provider/buckets/:bucket/object': changes(
    'object/write',
    'objects:write',
    'web',
    (who, place, key) => http(who, 'PUT', query(place, '/object', key), 'x'),
  ),
  'post /api/providers/:provider/buckets/:bucket/archive': {
    done: {
      send: http('dan', 'POST', `${FILES}/archive`, { prefixes: ['none/'] }),
      line: {
        operation: 'object/archive',
        ...done,
        ...dan,
        resources: [{ provider: 'main', bucket: 'files', prefix: 'none/', ...done }],
      },
    },
    denied: {
      send: http('dan', 'POST', `${FILES}/archive`, { keys: ['open/read', 'secret/a'] }),
      line: {
        operation: 'object/archive',
        outcome: 'denied',
        ...dan,
        resources: [
          at('main/files/open/read', 'objects:get', { outcome: 'untouched' }),
          denied('main/files/secret/a', 'objects:get'),
        ],
      },
    },
    failed: {
      send: http('ada', 'POST', `${GONE}/archive`, { keys: ['a'] }),
      line: { operation: 'object/archive', ...failed, ...ada, resources: [at('gone/files/a', 'objects:get', failed)] },
    },
  },
  'post /api/providers/:provider/buckets/:bucket/uploads': changes(
    'upload/create',
    'objects:write',
    'web',
    (who, place, key) => http(who, 'POST', `${place}/uploads`, { key }),
  ),
  'put /api/providers/:provider/buckets/:bucket/uploads/:id/parts/:number': changes(
    'upload/part',
    'objects:write',
    'web',
    (who, place, key) => http(who, 'PUT', query(place, '/uploads/x/parts/1', key), 'x'),
    { done: false },
  ),
  'get /api/providers/:provider/buckets/:bucket/uploads/:id': changes(
    'upload/get',
    'objects:write',
    'web',
    (who, place, key) => http(who, 'GET', query(place, '/uploads/x', key)),
    { done: false },
  ),
  'post /api/providers/:provider/buckets/:bucket/uploads/:id/complete': changes(
    'upload/complete',
    'objects:write',
    'web',
    (who, place, key) =>
      http(who, 'POST', query(place, '/uploads/x/complete', key), { parts: [{ number: 1, etag: '"x"' }] }),
    { done: false },
  ),
  'delete /api/providers/:provider/buckets/:bucket/uploads/:id': changes(
    'upload/abort',
    'objects:write',
    'web',
    (who, place, key) => http(who, 'DELETE', query(place, '/uploads/x', key)),
    { done: false },
  ),
  'get /api/providers': quiet('/api/providers'),
  'get /api/providers/:provider/buckets': {
    ...quiet('/api/providers/main/buckets'),
    failed: {
      send: http('ada', 'GET', '/api/providers/gone/buckets'),
      line: {
        operation: 'bucket/list',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', outcome: 'failed' }],
      },
    },
  },
  'post /api/providers/:provider/buckets': {
    done: {
      send: http('ada', 'POST', '/api/providers/main/buckets', { name: 'made' }),
      line: { operation: 'bucket/create', ...done, ...ada, resources: [at('main/made', 'buckets:create', done)] },
    },
    denied: {
      send: http('dan', 'POST', '/api/providers/main/buckets', { name: 'other' }),
      line: {
        operation: 'bucket/create',
        outcome: 'denied',
        ...dan,
        resources: [at('main/other', 'buckets:create', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: http('ada', 'POST', '/api/providers/gone/buckets', { name: 'made' }),
      line: { operation: 'bucket/create', ...failed, ...ada, resources: [at('gone/made', 'buckets:create', failed)] },
    },
  },
  'delete /api/providers/:provider/buckets/:bucket': {
    done: {
      send: http('ada', 'DELETE', '/api/providers/main/buckets/made'),
      line: { operation: 'bucket/delete', ...done, ...ada, resources: [at('main/made', 'buckets:delete', done)] },
    },
    denied: {
      send: http('dan', 'DELETE', FILES),
      line: {
        operation: 'bucket/delete',
        outcome: 'denied',
        ...dan,
        resources: [at('main/files', 'buckets:delete', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: http('ada', 'DELETE', FILES),
      line: {
        operation: 'bucket/delete',
        ...failed,
        why: 'bucket_not_empty',
        ...ada,
        resources: [at('main/files', 'buckets:delete', failed)],
      },
    },
    'denied to another site': {
      send: async (people) =>
        idOf(await people.http('ada', 'DELETE', FILES, { headers: { 'sec-fetch-site': 'cross-site' } })),
      line: {
        operation: 'bucket/delete',
        outcome: 'denied',
        why: 'origin_mismatch',
        ...ada,
        via: 'web',
        resources: [],
      },
    },
  },
  'get /api/auth/login': quiet('/api/auth/login'),
  'get /api/auth/callback': {
    failed: { send: http('ada', 'GET', '/api/auth/callback?code=x&state=y'), line: undefined },
  },
  'get /api/auth/logout': {
    done: {
      send: async ({ app }) => {
        const visitor = new Visitor();
        await app.signIn('ada', visitor);
        const answer = await visitor.request(`${app.origin}/api/auth/logout`);
        return answer.headers.get('x-request-id') ?? '';
      },
      line: {
        operation: 'session/end',
        ...done,
        ...ada,
        via: 'web',
        resources: [
          {
            session: expect.stringMatching(/./),
            ...done,
            of: { issuer: ada.issuer, subject: 'ada', name: 'Ada Admin' },
          },
        ],
      },
    },
  },
  'get /api/auth/me': quiet('/api/auth/me'),
  'get /v1/auth/authorize': quiet('/v1/auth/authorize'),
  'get /v1/auth/callback': {
    failed: { send: http('ada', 'GET', '/v1/auth/callback?code=x&state=y'), line: undefined },
  },
  'post /v1/auth/token': {
    failed: {
      send: async (people) =>
        idOf(
          await people.http('ada', 'POST', '/v1/auth/token', {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: 'grant_type=password',
          }),
        ),
      line: undefined,
    },
  },
  'post /v1/auth/backchannel-logout': {
    done: {
      send: async ({ app }) => {
        const now = Math.floor(Date.now() / 1000);
        await app.signIn('eve');
        const token = await app.idp.signed({
          iss: app.issuer,
          aud: 'svc',
          iat: now,
          exp: now + 60,
          jti: 'a',
          sub: 'eve',
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        });
        return (
          (
            await fetch(`${app.origin}/v1/auth/backchannel-logout`, {
              method: 'POST',
              body: new URLSearchParams({ logout_token: token }),
            })
          ).headers.get('x-request-id') ?? ''
        );
      },
      line: {
        operation: 'session/endByProvider',
        ...done,
        via: 'unknown',
        resources: [
          {
            session: expect.stringMatching(/./),
            outcome: 'done',
            of: { issuer: ada.issuer, subject: 'eve', name: 'Eve Editor' },
          },
        ],
      },
    },
    failed: {
      send: async (people) =>
        idOf(
          await people.http('ada', 'POST', '/v1/auth/backchannel-logout', {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: 'logout_token=a.b.c',
          }),
        ),
      line: undefined,
    },
  },
  'get /v1/auth/session': quiet('/v1/auth/session'),
  'post /v1/auth/logout': {
    done: {
      send: async ({ app }) => {
        const cookie = (await app.signIn('dan')).cookie(app.origin, 'svc_session')!;
        const answer = await fetch(`${app.origin}/v1/auth/logout`, {
          method: 'POST',
          headers: { cookie: `svc_session=${cookie}`, origin: app.origin },
        });
        return answer.headers.get('x-request-id') ?? '';
      },
      line: {
        operation: 'session/end',
        ...done,
        ...dan,
        via: 'web',
        resources: [expect.objectContaining({ session: expect.stringMatching(/./), ...done })],
      },
    },
  },
  'get /v1/transfers/:ticket': {
    done: {
      send: ticketed('download', 'open/ticket'),
      line: {
        operation: 'object/read',
        ...done,
        ...dan,
        via: 'desktop',
        resources: [at('main/files/open/ticket', 'objects:get', done)],
      },
    },
    failed: { send: http('ada', 'GET', `/v1/transfers/${'x'.repeat(43)}`), line: undefined },
  },
  'put /v1/transfers/:ticket': {
    done: {
      send: ticketed('upload', 'open/ticket'),
      line: {
        operation: 'object/write',
        ...done,
        ...dan,
        via: 'desktop',
        resources: [at('main/files/open/ticket', 'objects:write', done)],
      },
    },
    failed: { send: http('ada', 'PUT', `/v1/transfers/${'x'.repeat(43)}`, 'x'), line: undefined },
  },
  'get /api/admin/roles': admin('/api/admin/roles'),
  'get /api/admin/policies': admin('/api/admin/policies'),
  'get /api/admin/bindings': admin('/api/admin/bindings'),
  'get /api/admin/providers': admin('/api/admin/providers'),
  'get /api/admin/sessions': admin('/api/admin/sessions'),
  'get /api/admin/sign-ins': {
    ...admin('/api/admin/sign-ins'),
    failed: {
      send: http('ada', 'GET', '/api/admin/sign-ins?cursor=x'),
      line: { operation: 'signIn/list', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'delete /api/admin/sessions/:id': {
    done: {
      send: async (people) => {
        await people.app.signIn('vic');
        const { sessions } = (await people.http('ada', 'GET', '/api/admin/sessions')).json() as {
          sessions: { id: string; subject: string }[];
        };
        return http(
          'ada',
          'DELETE',
          `/api/admin/sessions/${sessions.find(({ subject }) => subject === 'vic')!.id}`,
        )(people);
      },
      line: {
        operation: 'session/revoke',
        ...done,
        ...ada,
        resources: [
          {
            session: expect.stringMatching(/./),
            ...done,
            of: { issuer: ada.issuer, subject: 'vic', name: 'Vic Viewer' },
          },
        ],
      },
    },
    denied: {
      send: http('dan', 'DELETE', '/api/admin/sessions/x'),
      line: { operation: 'session/revoke', outcome: 'denied', why: 'admin_required', ...dan },
    },
    failed: {
      send: http('ada', 'DELETE', `/api/admin/sessions/${NOBODYS_ID}`),
      line: {
        operation: 'session/revoke',
        ...failed,
        why: 'not_found',
        ...ada,
        resources: [{ session: NOBODYS_ID, ...failed }],
      },
    },
  },
  'post /api/admin/sessions/revoke': {
    done: {
      send: async (people) => {
        for (let i = 0; i < 2; i += 1) await people.app.signIn('nobody');
        return http('ada', 'POST', '/api/admin/sessions/revoke', { issuer: people.app.issuer, subject: 'nobody' })(
          people,
        );
      },
      line: {
        operation: 'session/revokeAll',
        ...done,
        ...ada,
        resources: [
          { person: 'nobody', ...done, of: { issuer: ada.issuer, subject: 'nobody', name: 'nobody' } },
          ...[1, 2].map(() => ({
            session: expect.stringMatching(/./),
            ...done,
            of: { issuer: ada.issuer, subject: 'nobody', name: expect.any(String) },
          })),
        ],
      },
    },
    denied: {
      send: http('dan', 'POST', '/api/admin/sessions/revoke', { issuer: 'x', subject: 'ada' }),
      line: { operation: 'session/revokeAll', outcome: 'denied', why: 'admin_required', ...dan, resources: [] },
    },
    failed: {
      send: http('ada', 'POST', '/api/admin/sessions/revoke', {}),
      line: { operation: 'session/revokeAll', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'post /api/admin/explain': {
    denied: {
      send: http('dan', 'POST', '/api/admin/explain', {}),
      line: { operation: 'policy/explain', outcome: 'denied', why: 'admin_required', ...dan },
    },
  },
  'get /api/admin/audit': {
    denied: admin('/api/admin/audit')['denied']!,
    failed: {
      send: http('ada', 'GET', '/api/admin/audit'),
      line: { operation: 'audit/list', ...failed, why: 'not_found', ...ada },
    },
  },
  'get /api/admin/audit/sinks': {
    denied: admin('/api/admin/audit/sinks')['denied']!,
    failed: {
      send: http('ada', 'GET', '/api/admin/audit/sinks'),
      line: { operation: 'audit/sinks', ...failed, why: 'not_found', ...ada },
    },
  },
  'get /api/providers/:provider/buckets/:bucket/object/activity': {
    denied: {
      send: http('dan', 'GET', query(FILES, '/object/activity', 'secret/a')),
      line: {
        operation: 'object/activity',
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        resources: [denied('main/files/secret/a', 'objects:get')],
      },
    },
    failed: {
      send: http('ada', 'GET', query(FILES, '/object/activity', 'open/a')),
      line: { operation: 'object/activity', ...failed, why: 'not_found', ...ada },
    },
  },
  'get /api/admin/who': {
    denied: {
      send: http('dan', 'GET', '/api/admin/who?action=objects:get&provider=main&bucket=files&key=a'),
      line: { operation: 'policy/who', outcome: 'denied', why: 'admin_required', ...dan },
    },
    failed: {
      send: http('ada', 'GET', '/api/admin/who?action=objects:get&provider=main'),
      line: { operation: 'policy/who', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'post /api/admin/view-as': {
    done: {
      send: http('ada', 'POST', '/api/admin/view-as', {
        issuer: 'https://id.example',
        subject: '<b>dan</b>',
        groups: ['team'],
      }),
      line: {
        operation: 'policy/viewAs',
        ...done,
        ...ada,
        resources: [
          {
            person: '<b>dan</b>',
            ...done,
            of: { issuer: 'https://id.example', subject: '<b>dan</b>', name: '<b>dan</b>' },
          },
        ],
      },
    },
    denied: {
      send: http('dan', 'POST', '/api/admin/view-as', { subject: 'ada' }),
      line: { operation: 'policy/viewAs', outcome: 'denied', why: 'admin_required', ...dan, resources: [] },
    },
    failed: {
      send: http('ada', 'POST', '/api/admin/view-as', {}),
      line: { operation: 'policy/viewAs', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'get /api/health': quiet('/api/health'),
  'get /api/ready': quiet('/api/ready'),
  'get /api/openapi.json': quiet('/api/openapi.json'),
};

/** Redeems a ticket of `dan`; for a download the object is stored first. */
function ticketed(direction: 'download' | 'upload', key: string): Case['send'] {
  return async (people) => {
    if (direction === 'download') await people.http('dan', 'PUT', query(FILES, '/object', key), { body: 'x' });
    const { url, method } = await people
      .rpc('dan')
      .call('transfer/create', { provider: 'main', bucket: 'files', key, direction });
    const answer = await fetch(url, { method, ...(method === 'PUT' ? { body: 'x' } : {}) });
    await answer.arrayBuffer();
    return answer.headers.get('x-request-id') ?? '';
  };
}

/** One object of a place, as RPC names it. */
const params = (place: string, key: string) => ({ provider: place === FILES ? 'main' : 'gone', bucket: 'files', key });
const changesBy = (method: RpcMethodName, action: string, more: object = {}, ends: { readonly done?: boolean } = {}) =>
  changes(method, action, 'desktop', (who, place, key) => rpc(who, method, { ...params(place, key), ...more }), ends);
const asked = (method: RpcMethodName, given: object): Cases => ({
  done: { send: rpc('ada', method, given), line: no },
});
const byKey = (method: RpcMethodName, given: object): Case => ({
  send: rpc('key', method, given),
  line: {
    operation: method,
    outcome: 'denied',
    why: 'interactive_session_required',
    ...ada,
    via: 'apiKey',
    resources: [],
  },
});
const readAll = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] };
const aKey = {
  apiKey: expect.stringMatching(/./),
  ...done,
  of: { issuer: ada.issuer, subject: 'ada', name: 'Ada Admin' },
};

/** What the administration refuses to somebody else, and to the key of an administrator. */
const toAdmins = (method: RpcMethodName, given: object) => ({
  denied: {
    send: rpc('dan', method, given),
    line: { operation: method, outcome: 'denied', why: 'admin_required', ...dan, via: 'desktop', resources: [] },
  },
  'denied to a key': {
    send: rpc('key', method, given),
    line: { operation: method, outcome: 'denied', why: 'admin_required', ...ada, via: 'apiKey', resources: [] },
  },
});

/** Changes a key of `ada` that was made for it. */
const onNewKey = (method: RpcMethodName, more: object = {}): Cases => ({
  done: {
    send: async (people) => {
      const { key } = (await people
        .rpc('ada')
        .call('apiKey/create', { description: 'x', scope: readAll, expiresAt: null } as never)) as {
        key: { id: string };
      };
      return rpc('ada', method, { id: key.id, ...more })(people);
    },
    line: { operation: method, ...done, ...ada, via: 'desktop', resources: [aKey] },
  },
  denied: byKey(method, { id: 'x', ...more }),
  failed: {
    send: rpc('ada', method, { id: NOBODYS_ID, ...more }),
    line: { operation: method, ...failed, why: 'not_found', ...ada, resources: [{ apiKey: NOBODYS_ID, ...failed }] },
  },
});

const NORA = { issuer: 'https://id.example', subject: 'nora' };
const anS3Key = { ...aKey, apiKey: undefined, s3Key: expect.stringMatching(/^SVC[A-Z2-7]{17}$/) };
const readMain = { rules: [{ actions: ['objects:read'], resources: [{ type: 'provider', provider: 'main' }] }] };
const NOBODYS_ACCESS_KEY_ID = `SVC${'A'.repeat(17)}`;

/** Changes an S3 key of `ada` that was made for it. */
const onNewS3Key = (method: RpcMethodName, more: object = {}): Cases => ({
  done: {
    send: async (people) => {
      const { key } = await people.rpc('ada').call('s3Key/create', { provider: 'main', description: 'x' });
      return rpc('ada', method, { accessKeyId: key.accessKeyId, ...more })(people);
    },
    line: { operation: method, ...done, ...ada, via: 'desktop', resources: [anS3Key] },
  },
  denied: byKey(method, { accessKeyId: 'x', ...more }),
  failed: {
    send: rpc('ada', method, { accessKeyId: NOBODYS_ACCESS_KEY_ID, ...more }),
    line: {
      operation: method,
      ...failed,
      why: 'not_found',
      ...ada,
      resources: [{ s3Key: NOBODYS_ACCESS_KEY_ID, ...failed }],
    },
  },
});

export const RPC_CASES: Readonly<Record<RpcMethodName, Cases>> = {
  initialize: asked('initialize', {}),
  'session/get': asked('session/get', {}),
  'provider/list': asked('provider/list', {}),
  'bucket/list': {
    ...asked('bucket/list', { provider: 'main' }),
    failed: {
      send: rpc('ada', 'bucket/list', { provider: 'gone' }),
      line: {
        operation: 'bucket/list',
        ...failed,
        why: 'storage_unavailable',
        ...ada,
        resources: [{ provider: 'gone', outcome: 'failed' }],
      },
    },
  },
  'bucket/get': {
    ...asked('bucket/get', { provider: 'main', bucket: 'files' }),
    denied: {
      send: rpc('dan', 'bucket/get', { provider: 'gone', bucket: 'files' }),
      line: {
        operation: 'bucket/get',
        outcome: 'denied',
        ...dan,
        via: 'desktop',
        resources: [at('gone/files', 'buckets:list', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: rpc('ada', 'bucket/get', { provider: 'main', bucket: 'missing' }),
      line: {
        operation: 'bucket/get',
        ...failed,
        ...ada,
        via: 'desktop',
        resources: [{ provider: 'main', bucket: 'missing', outcome: 'failed' }],
      },
    },
  },
  'bucket/info': {
    ...asked('bucket/info', { provider: 'main', bucket: 'files' }),
    denied: {
      send: rpc('dan', 'bucket/info', { provider: 'gone', bucket: 'files' }),
      line: {
        operation: 'bucket/info',
        outcome: 'denied',
        ...dan,
        via: 'desktop',
        resources: [at('gone/files', 'buckets:list', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
  },
  'bucket/create': {
    done: {
      send: rpc('ada', 'bucket/create', { provider: 'main', name: 'by-rpc' }),
      line: {
        operation: 'bucket/create',
        ...done,
        ...ada,
        via: 'desktop',
        resources: [at('main/by-rpc', 'buckets:create', done)],
      },
    },
    denied: {
      send: rpc('key', 'bucket/create', { provider: 'main', name: 'other' }),
      line: {
        operation: 'bucket/create',
        outcome: 'denied',
        ...ada,
        via: 'apiKey',
        resources: [at('main/other', 'buckets:create', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: rpc('ada', 'bucket/create', { provider: 'gone', name: 'other' }),
      line: { operation: 'bucket/create', ...failed, ...ada, resources: [at('gone/other', 'buckets:create', failed)] },
    },
  },
  'bucket/delete': {
    done: {
      send: rpc('ada', 'bucket/delete', { provider: 'main', bucket: 'by-rpc' }),
      line: { operation: 'bucket/delete', ...done, ...ada, resources: [at('main/by-rpc', 'buckets:delete', done)] },
    },
    denied: {
      send: rpc('dan', 'bucket/delete', { provider: 'main', bucket: 'files' }),
      line: {
        operation: 'bucket/delete',
        outcome: 'denied',
        ...dan,
        resources: [at('main/files', 'buckets:delete', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: rpc('ada', 'bucket/delete', { provider: 'gone', bucket: 'files' }),
      line: { operation: 'bucket/delete', ...failed, ...ada, resources: [at('gone/files', 'buckets:delete', failed)] },
    },
  },
  'object/list': {
    ...asked('object/list', { provider: 'main', bucket: 'files' }),
    failed: {
      send: rpc('ada', 'object/list', { provider: 'gone', bucket: 'files' }),
      line: { operation: 'object/list', ...failed, ...ada },
    },
  },
  'object/watch': {
    failed: {
      send: rpc('dan', 'object/watch', { provider: 'main', bucket: 'files' }),
      line: {
        operation: 'object/watch',
        ...failed,
        why: 'method_not_allowed',
        ...dan,
        resources: [{ provider: 'main', bucket: 'files', prefix: '', ...failed }],
      },
    },
  },
  'object/unwatch': {
    failed: {
      send: rpc('dan', 'object/unwatch', { watch: '1' }),
      line: { operation: 'object/unwatch', ...failed, why: 'method_not_allowed', ...dan, resources: [] },
    },
  },
  'object/search': {
    ...asked('object/search', { provider: 'main', bucket: 'files' }),
    failed: {
      send: rpc('ada', 'object/search', { provider: 'gone', bucket: 'files' }),
      line: { operation: 'object/search', ...failed, ...ada },
    },
  },
  'object/size': {
    ...asked('object/size', { provider: 'main', bucket: 'files' }),
    failed: {
      send: rpc('ada', 'object/size', { provider: 'gone', bucket: 'files' }),
      line: { operation: 'object/size', ...failed, ...ada },
    },
  },
  'object/listVersions': {
    denied: {
      send: rpc('dan', 'object/listVersions', params(FILES, 'open/a')),
      line: {
        operation: 'object/listVersions',
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        resources: [at('main/files/open/a', 'objects:versions', { outcome: 'denied', why: 'no_matching_allow' })],
      },
    },
    failed: {
      send: rpc('ada', 'object/listVersions', { provider: 'gone', bucket: 'files' }),
      line: { operation: 'object/listVersions', ...failed, ...ada },
    },
  },
  'object/restore': changesOfVersion('object/restore', ['objects:restore', 'objects:write'], (who, place, key) =>
    rpc(who, 'object/restore', { ...params(place, key), version: 'v1' }),
  ),
  'object/restoreFolder': {
    done: {
      send: rpc('dan', 'object/restoreFolder', { provider: 'main', bucket: 'files', at: '2026-01-31T17:00:00Z' }),
      line: { operation: 'object/restoreFolder', ...done, ...dan, via: 'desktop' },
    },
    failed: {
      send: rpc('ada', 'object/restoreFolder', { provider: 'gone', bucket: 'files', at: '2026-01-31T17:00:00Z' }),
      line: { operation: 'object/restoreFolder', ...failed, ...ada },
    },
  },
  'object/unarchive': changesOfVersion(
    'object/unarchive',
    ['objects:restore'],
    (who, place, key) => rpc(who, 'object/unarchive', params(place, key)),
    {},
  ),
  'object/purge': changesOfVersion('object/purge', ['objects:purge'], (who, place, key) =>
    rpc(who, 'object/purge', { ...params(place, key), version: 'v1' }),
  ),
  'object/head': changesBy('object/head', 'objects:get', {}, { done: false }),
  'object/tags': changesBy('object/tags', 'objects:get', {}, { done: false }),
  'object/setTags': ofTags('desktop', (who, place, key) =>
    rpc(who, 'object/setTags', { ...params(place, key), tags: [{ key: 'a', value: 'b' }] }),
  ),
  'object/setProperties': ofProperties('desktop', (who, place, key) =>
    rpc(who, 'object/setProperties', { ...params(place, key), ifMatch: '*' }),
  ),
  'object/delete': {
    ...changesBy('object/delete', 'objects:delete'),
    'done in part': {
      send: rpc('dan', 'object/delete', { provider: 'main', bucket: 'files', keys: ['open/b', 'secret/b'] }),
      line: {
        operation: 'object/delete',
        outcome: 'partly',
        ...dan,
        via: 'desktop',
        resources: [at('main/files/open/b', 'objects:delete', done), denied('main/files/secret/b', 'objects:delete')],
      },
    },
  },
  'object/copy': {
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/from'), { body: 'x' });
        return rpc('dan', 'object/copy', { ...params(FILES, 'open/from'), to: { bucket: 'files', key: 'open/to' } })(
          people,
        );
      },
      line: {
        operation: 'object/copy',
        ...done,
        ...dan,
        resources: [at('main/files/open/from', 'objects:get', done), at('main/files/open/to', 'objects:write', done)],
      },
    },
    denied: {
      send: rpc('dan', 'object/copy', { ...params(FILES, 'secret/from'), to: { key: 'open/to' }, move: true }),
      line: {
        operation: 'object/copy',
        outcome: 'denied',
        ...dan,
        resources: [
          denied('main/files/secret/from', 'objects:get'),
          at('main/files/open/to', 'objects:write', { outcome: 'untouched' }),
          denied('main/files/secret/from', 'objects:delete'),
        ],
      },
    },
    failed: {
      send: rpc('ada', 'object/copy', { ...params(FILES, 'open/none'), to: { key: 'open/to' } }),
      line: { operation: 'object/copy', ...failed, why: 'not_found', ...ada },
    },
  },
  'object/presign': {
    done: {
      send: rpc('dan', 'object/presign', { ...params(FILES, 'open/a'), method: 'PUT', expiresIn: 60 }),
      line: {
        operation: 'object/presign',
        ...done,
        ...dan,
        via: 'desktop',
        resources: [at('main/files/open/a', 'objects:presign', done), at('main/files/open/a', twice('write'), done)],
      },
    },
    denied: {
      send: rpc('dan', 'object/presign', { ...params(FILES, 'secret/a'), method: 'GET', expiresIn: 60 }),
      line: {
        operation: 'object/presign',
        outcome: 'denied',
        ...dan,
        resources: [denied('main/files/secret/a', 'objects:presign'), denied('main/files/secret/a', twice('read'))],
      },
    },
    failed: {
      send: rpc('dan', 'object/presign', {}),
      line: { operation: 'object/presign', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'permission/list': {
    ...asked('permission/list', { provider: 'main' }),
    failed: {
      send: rpc('dan', 'permission/list', {}),
      line: { operation: 'permission/list', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'place/list': { ...asked('place/list', {}), denied: byKey('place/list', {}) },
  'place/mark': {
    ...asked('place/mark', { mark: 'opened', places: [{ provider: 'main', bucket: 'files', prefix: '' }] }),
    denied: byKey('place/mark', { mark: 'opened', places: [{ provider: 'main', bucket: 'files', prefix: '' }] }),
    failed: {
      send: rpc('dan', 'place/mark', {}),
      line: { operation: 'place/mark', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'upload/create': changesBy('upload/create', 'objects:write'),
  'upload/get': changesBy('upload/get', 'objects:write', { id: 'x' }, { done: false }),
  'upload/complete': changesBy(
    'upload/complete',
    'objects:write',
    { id: 'x', parts: [{ number: 1, etag: '"x"' }] },
    { done: false },
  ),
  'upload/abort': changesBy('upload/abort', 'objects:write', { id: 'x' }, { done: false }),
  'upload/list': {
    ...asked('upload/list', { provider: 'main', bucket: 'files' }),
    failed: {
      send: rpc('ada', 'upload/list', { provider: 'gone', bucket: 'files' }),
      line: { operation: 'upload/list', ...failed, ...ada },
    },
  },
  'upload/copyPart': {
    done: {
      send: async (people) => {
        await people.http('dan', 'PUT', query(FILES, '/object', 'open/from'), { body: 'x' });
        const { id } = await people.rpc('dan').call('upload/create', params(FILES, 'open/part'));
        return rpc('dan', 'upload/copyPart', {
          ...params(FILES, 'open/part'),
          id,
          number: 1,
          from: { bucket: 'files', key: 'open/from' },
        })(people);
      },
      line: {
        operation: 'upload/copyPart',
        ...done,
        ...dan,
        resources: [at('main/files/open/from', 'objects:get', done), at('main/files/open/part', 'objects:write', done)],
      },
    },
    denied: {
      send: rpc('dan', 'upload/copyPart', {
        ...params(FILES, 'open/part'),
        id: 'x',
        number: 1,
        from: { bucket: 'files', key: 'secret/a' },
      }),
      line: {
        operation: 'upload/copyPart',
        outcome: 'denied',
        why: 'access_denied',
        ...dan,
        resources: [
          denied('main/files/secret/a', 'objects:get'),
          at('main/files/open/part', 'objects:write', { outcome: 'untouched' }),
        ],
      },
    },
    failed: {
      send: rpc('ada', 'upload/copyPart', {
        ...params(FILES, 'open/part'),
        id: 'x',
        number: 1,
        from: { bucket: 'files', key: 'open/none' },
      }),
      line: {
        operation: 'upload/copyPart',
        ...failed,
        why: 'not_found',
        ...ada,
        resources: [
          at('main/files/open/none', 'objects:get', failed),
          at('main/files/open/part', 'objects:write', failed),
        ],
      },
    },
  },
  'transfer/create': {
    done: {
      send: rpc('dan', 'transfer/create', { ...params(FILES, 'open/a'), direction: 'upload' }),
      line: {
        operation: 'transfer/create',
        ...done,
        ...dan,
        resources: [at('main/files/open/a', 'objects:write', done)],
      },
    },
    denied: {
      send: rpc('dan', 'transfer/create', { ...params(FILES, 'secret/a'), direction: 'download' }),
      line: {
        operation: 'transfer/create',
        outcome: 'denied',
        ...dan,
        resources: [denied('main/files/secret/a', 'objects:get')],
      },
    },
    failed: {
      send: rpc('dan', 'transfer/create', {}),
      line: { operation: 'transfer/create', ...failed, why: 'invalid_request', ...dan },
    },
  },
  'policy/who': {
    ...asked('policy/who', { action: 'providers:list', provider: 'main' }),
    ...toAdmins('policy/who', { action: 'providers:list', provider: 'main' }),
  },
  'audit/list': {
    ...toAdmins('audit/list', {}),
    failed: {
      send: rpc('ada', 'audit/list', {}),
      line: { operation: 'audit/list', ...failed, why: 'not_found', ...ada },
    },
  },
  'audit/sinks': {
    ...toAdmins('audit/sinks', {}),
    failed: {
      send: rpc('ada', 'audit/sinks', {}),
      line: { operation: 'audit/sinks', ...failed, why: 'not_found', ...ada },
    },
  },
  'object/activity': {
    denied: {
      send: rpc('dan', 'object/activity', { provider: 'main', bucket: 'files', key: 'secret/a' }),
      line: {
        operation: 'object/activity',
        outcome: 'denied',
        ...dan,
        resources: [denied('main/files/secret/a', 'objects:get')],
      },
    },
  },
  'signIn/list': {
    ...asked('signIn/list', { limit: 1 }),
    ...toAdmins('signIn/list', {}),
    failed: {
      send: rpc('ada', 'signIn/list', { cursor: 'x' }),
      line: { operation: 'signIn/list', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'session/list': {
    ...asked('session/list', { limit: 1 }),
    ...toAdmins('session/list', {}),
    failed: {
      send: rpc('ada', 'session/list', { cursor: 'x' }),
      line: { operation: 'session/list', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'session/revoke': {
    ...toAdmins('session/revoke', { id: 'x' }),
    failed: {
      send: rpc('ada', 'session/revoke', { id: NOBODYS_ID }),
      line: {
        operation: 'session/revoke',
        ...failed,
        why: 'not_found',
        ...ada,
        resources: [{ session: NOBODYS_ID, ...failed }],
      },
    },
  },
  'session/revokeAll': {
    done: {
      send: rpc('ada', 'session/revokeAll', { issuer: 'https://id.example', subject: 'nobody' }),
      line: {
        operation: 'session/revokeAll',
        ...done,
        ...ada,
        via: 'desktop',
        resources: [
          { person: 'nobody', ...done, of: { issuer: 'https://id.example', subject: 'nobody', name: 'nobody' } },
        ],
      },
    },
    ...toAdmins('session/revokeAll', { issuer: 'https://id.example', subject: 'ada' }),
  },
  'person/suspend': {
    done: {
      send: rpc('ada', 'person/suspend', NORA),
      line: {
        operation: 'person/suspend',
        ...done,
        ...ada,
        via: 'desktop',
        resources: [{ person: 'nora', ...done, of: { ...NORA, name: 'nora' } }],
      },
    },
    ...toAdmins('person/suspend', NORA),
    failed: {
      send: async (people) => rpc('ada', 'person/suspend', { issuer: people.app.issuer, subject: 'ada' })(people),
      line: { operation: 'person/suspend', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'person/resume': {
    done: {
      send: rpc('ada', 'person/resume', NORA),
      line: {
        operation: 'person/resume',
        ...done,
        ...ada,
        via: 'desktop',
        resources: [{ person: 'nora', ...done, of: { ...NORA, name: 'nora' } }],
      },
    },
    ...toAdmins('person/resume', NORA),
    failed: {
      send: rpc('ada', 'person/resume', {}),
      line: { operation: 'person/resume', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'person/listSuspended': {
    ...asked('person/listSuspended', { limit: 1 }),
    ...toAdmins('person/listSuspended', {}),
    failed: {
      send: rpc('ada', 'person/listSuspended', { cursor: 'x' }),
      line: { operation: 'person/listSuspended', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'apiKey/create': {
    done: {
      send: rpc('ada', 'apiKey/create', { description: 'x', scope: readAll, expiresAt: null }),
      line: { operation: 'apiKey/create', ...done, ...ada, via: 'desktop', resources: [aKey] },
    },
    denied: byKey('apiKey/create', { description: 'x', scope: readAll, expiresAt: null }),
    failed: {
      send: rpc('ada', 'apiKey/create', { description: ' ', scope: readAll, expiresAt: null }),
      line: { operation: 'apiKey/create', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'apiKey/list': { ...asked('apiKey/list', {}), denied: byKey('apiKey/list', {}) },
  'apiKey/listAll': {
    ...asked('apiKey/listAll', { person: 'ada' }),
    ...toAdmins('apiKey/listAll', {}),
    failed: {
      send: rpc('ada', 'apiKey/listAll', { limit: 101 }),
      line: { operation: 'apiKey/listAll', ...failed, why: 'invalid_request', ...ada },
    },
  },
  'apiKey/revokeAll': {
    done: {
      send: async (people) => {
        for (let i = 0; i < 2; i += 1)
          await people.rpc('dan').call('apiKey/create', { description: 'x', scope: readAll, expiresAt: null } as never);
        return rpc('ada', 'apiKey/revokeAll', { issuer: people.app.issuer, subject: 'dan' })(people);
      },
      line: {
        operation: 'apiKey/revokeAll',
        ...done,
        ...ada,
        via: 'desktop',
        resources: [
          { person: 'dan', ...done, of: { issuer: ada.issuer, subject: 'dan', name: 'dan' } },
          ...[1, 2].map(() => ({
            apiKey: expect.stringMatching(/./),
            ...done,
            of: { issuer: ada.issuer, subject: 'dan', name: 'Dan Denied' },
          })),
        ],
      },
    },
    ...toAdmins('apiKey/revokeAll', { issuer: 'https://id.example', subject: 'ada' }),
  },
  's3Key/create': {
    done: {
      send: rpc('ada', 's3Key/create', { provider: 'main', description: 'x' }),
      line: { operation: 's3Key/create', ...done, ...ada, via: 'desktop', resources: [anS3Key] },
    },
    denied: byKey('s3Key/create', { provider: 'main', description: 'x' }),
    failed: {
      send: rpc('ada', 's3Key/create', { provider: 'main', description: ' ' }),
      line: { operation: 's3Key/create', ...failed, why: 'invalid_request', ...ada },
    },
  },
  's3Key/list': { ...asked('s3Key/list', {}), denied: byKey('s3Key/list', {}) },
  's3Key/listAll': {
    ...asked('s3Key/listAll', { person: 'ada' }),
    ...toAdmins('s3Key/listAll', {}),
    failed: {
      send: rpc('ada', 's3Key/listAll', { limit: 101 }),
      line: { operation: 's3Key/listAll', ...failed, why: 'invalid_request', ...ada },
    },
  },
  's3Key/revokeAll': {
    done: {
      send: async (people) => {
        for (let i = 0; i < 2; i += 1)
          await people.rpc('dan').call('s3Key/create', { provider: 'main', description: 'x' });
        return rpc('ada', 's3Key/revokeAll', { issuer: people.app.issuer, subject: 'dan' })(people);
      },
      line: {
        operation: 's3Key/revokeAll',
        ...done,
        ...ada,
        via: 'desktop',
        resources: [
          { person: 'dan', ...done, of: { issuer: ada.issuer, subject: 'dan', name: 'dan' } },
          ...[1, 2].map(() => ({ ...anS3Key, of: { issuer: ada.issuer, subject: 'dan', name: 'Dan Denied' } })),
        ],
      },
    },
    ...toAdmins('s3Key/revokeAll', { issuer: 'https://id.example', subject: 'ada' }),
  },
  's3Key/rotate': onNewS3Key('s3Key/rotate'),
  's3Key/replaceScope': onNewS3Key('s3Key/replaceScope', { scope: readMain }),
  's3Key/revoke': onNewS3Key('s3Key/revoke'),
  'apiKey/rotate': onNewKey('apiKey/rotate'),
  'apiKey/replaceScope': onNewKey('apiKey/replaceScope', { scope: readAll }),
  'apiKey/revoke': onNewKey('apiKey/revoke'),
};
