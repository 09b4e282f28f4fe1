import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Route } from '../../../src/http/routing/route.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { rawRequest } from '../../support/raw-request.ts';

let app: TestApp;
let cookies: readonly string[];
beforeAll(async () => {
  app = await startApp();
  cookies = await Promise.all(
    ['ada', 'dan', 'nobody'].map(
      async (account) => `svc_session=${(await app.signIn(account)).cookie(app.origin, 'svc_session')!}`,
    ),
  );
});
afterAll(() => app.close());

const NASTY = [
  '',
  '..',
  '.',
  '/',
  '\0',
  '%',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(1025),
  '🦊',
  "'",
  '"><script>',
  '${x}',
  '-1',
  '1e999',
  'NaN',
  'null',
  '\r\nx: y',
  '*',
  '/x',
  'main',
  'files',
];
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 40 }));
const encoded = fc.oneof(
  { weight: 4, arbitrary: text.map((each) => encodeURIComponent(each.toWellFormed())) },
  { weight: 1, arbitrary: fc.constantFrom('%', '%ff', '%c3%28', '%2e%2e', '%00', '+') },
);
const NAMES = [
  'key',
  'prefix',
  'delimiter',
  'cursor',
  'limit',
  'download',
  'return_to',
  'state',
  'code',
  'error',
  'client_id',
  'redirect_uri',
  'code_challenge',
];
const query = fc
  .array(
    fc.tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: encoded }), encoded),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

const members = [
  'key',
  'keys',
  'prefixes',
  'to',
  'move',
  'name',
  'method',
  'expires_in',
  'content_type',
  'provider',
  'bucket',
  '__proto__',
];
const { value: shaped } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom('GET', 'PUT', 'main', 'files', 1, 60, -1, 1e308, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 5 }),
  ),
}));
const body = fc.oneof(
  { weight: 4, arbitrary: shaped.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: query.map((form) => Buffer.from(form)) },
);

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((unit) => String.fromCharCode(unit)),
  maxLength: 30,
});
const headers = fc.dictionary(
  fc.constantFrom(
    'content-type',
    'content-encoding',
    'range',
    'if-range',
    'if-none-match',
    'if-modified-since',
    'if-match',
    'accept',
    'origin',
    'authorization',
    'x-amz-acl',
    'x-forwarded-for',
    'forwarded',
    'sec-fetch-site',
    'cookie',
  ),
  fc.oneof(
    printable,
    fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'text/html',
      'gzip',
      'deflate',
      'bytes=0-',
      'bytes=-0',
      'bytes=9-1',
      '*',
      'Bearer x',
      'Bearer svc_ak_x_y',
      'Basic',
      'svc_session=s%3Ax.y',
      'svc_login=x',
      'cross-site',
    ),
  ),
  { maxKeys: 4 },
);

const PARAMS: Readonly<Record<string, readonly string[]>> = {
  provider: ['main', 'nowhere'],
  bucket: ['files', 'photos', 'no-such'],
  id: ['x'],
  number: ['1'],
  ticket: ['x'.repeat(43)],
};

function pathOf(row: Route, chosen: readonly string[]): string {
  let next = 0;
  return row.path.replace(/:(\w+)/g, (_match, name: string) => {
    const i = next++;
    return i % 2 === 0 || chosen[i] === ''
      ? PARAMS[name]![i % PARAMS[name]!.length]!
      : (chosen[i] ?? PARAMS[name]![0]!);
  });
}

/** Their protocols ask for errors of another form. */
const IN_OTHER_FORM: ReadonlySet<string> = new Set(['/v1/auth/token', '/v1/auth/backchannel-logout']);

const STATUSES = [200, 201, 204, 206, 303, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415, 416];

describe('whatever a client sends', () => {
  it('is answered, never with 500, and errors are problem documents', async () => {
    // Gives the session back that the fuzzing is done with.
    const rows = app.rows.filter(({ path }) => !path.endsWith('/logout'));
    const request = fc.record({
      row: fc.nat(rows.length - 1),
      who: fc.nat(3),
      params: fc.array(encoded, { minLength: 4, maxLength: 4 }),
      query,
      headers,
      body,
      other: fc.constantFrom(undefined, 'HEAD', 'OPTIONS', 'PATCH'),
    });
    const statuses = new Set<number>();
    const property = fc.asyncProperty(
      request,
      async ({ row: at, who, params, query: search, headers: sent, body: bytes, other }) => {
        // The emulated storage keeps objects as files, which can have no such name.
        fc.pre(!/%00|\\u0000|\0/.test(search + bytes.toString()));
        const row = rows[at]!;
        const method = other ?? row.method.toUpperCase();
        const path = `${pathOf(row, params)}${search === '' ? '' : `?${search}`}`;
        const json = row.body === undefined ? {} : { 'content-type': row.bodyType };
        const answer = await rawRequest(app.origin, path, {
          method,
          headers: { ...json, ...(who < 3 ? { cookie: cookies[who]! } : {}), ...sent },
          ...(row.method === 'get' ? {} : { body: bytes }),
        });
        statuses.add(answer.status);
        expect(row.problems?.includes('not_supported') ? [...STATUSES, 501] : STATUSES).toContain(answer.status);
        if (
          answer.status >= 400 &&
          method !== 'HEAD' &&
          !String(answer.headers['content-type']).startsWith('text/html') &&
          !IN_OTHER_FORM.has(row.path)
        ) {
          expect(answer.json()).toMatchObject({
            type: expect.stringMatching(/^urn:svc:problem:/),
            status: answer.status,
            request_id: answer.headers['x-request-id'],
          });
        }
        expect(answer.text()).not.toMatch(/node_modules|\n {4}at /);
      },
    );
    await fc.assert(property, { numRuns: 4_000, plugins: [fc.interruptAfterTimeLimit(12_000)] });
    // It went further than the first check.
    for (const status of [200, 303, 400, 401, 403, 404, 405]) expect(statuses).toContain(status);
    expect(app.logged()).not.toMatch(/"level":"error"/);
  });
});
