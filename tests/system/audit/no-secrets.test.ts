import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { segmentFile, segmentsIn } from '../../../src/audit/chain-files.ts';
import { operations } from '../../../src/audit/operations.ts';
import { verifyAudit } from '../../../src/audit/verify.ts';
import { SESSION_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { HTTP_CASES, RPC_CASES, signInPeople, withGoneProvider, type People } from '../../support/audit-cases.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RpcSocketClient } from '../../support/rpc-client.ts';
import { AUDIT_SECRET, PUBLIC_KEY } from '../../audit/support/audit-folder.ts';

type Line = {
  readonly kind: string;
  readonly operation?: string;
  readonly outcome?: string;
  readonly requestId?: string;
  readonly face?: string;
  readonly intent?: number;
  readonly seq: number;
  readonly bytes?: number;
  readonly resources?: readonly { readonly key?: string; readonly outcome?: string; readonly rule?: string }[];
};

const path = join(mkdtempSync(join(tmpdir(), 'svc-audit-')), 'audit');
const folder = join(path, 'one');
/** Headers and bodies of all answers, of the service, of the identity provider and of storage. */
let told = '';
// eslint-disable-next-line @typescript-eslint/unbound-method -- both are called with the answer that they belong to
const { write, end } = http.ServerResponse.prototype;
let app: TestApp;
let people: People;
let text: string;

beforeAll(async () => {
  needsOneProcess('the test hears the answers in its own process');
  const hear = (chunk: unknown): void =>
    void (told += typeof chunk === 'string' || Buffer.isBuffer(chunk) ? `${chunk.toString()}\n` : '');
  http.ServerResponse.prototype.write = function (this: http.ServerResponse, ...args: never) {
    hear((args as unknown[])[0]);
    return write.apply(this, args);
  };
  http.ServerResponse.prototype.end = function (this: http.ServerResponse, ...args: never) {
    hear((args as unknown[])[0]);
    hear(
      Object.entries(this.getHeaders())
        .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${String(one)}`))
        .join('\n'),
    );
    return end.apply(this, args);
  };
  app = await startApp({
    config: (config) => ({
      ...withGoneProvider(config),
      audit: { path, instance: 'one', signing_secret: AUDIT_SECRET },
    }),
  });
  people = await signInPeople(app);
  await people.http('ada', 'GET', '/api/providers/main/buckets/files/objects?limit=1');
  for (const cases of [...Object.values(HTTP_CASES), ...Object.values(RPC_CASES)])
    for (const { send } of Object.values(cases)) await send(people);
  const onSocket = onSockets(people);
  for (const cases of Object.values(RPC_CASES)) for (const { send } of Object.values(cases)) await send(onSocket);
  for (const key of ['open/1', 'open/2'])
    await people.http('dan', 'PUT', `/api/providers/main/buckets/files/object?key=${key}`, { body: 'twelve bytes' });
  await people.http('dan', 'GET', '/api/providers/main/buckets/files/objects?limit=1&prefix=open/');
  const { url } = await people
    .rpc('dan')
    .call('transfer/create', { provider: 'main', bucket: 'files', key: 'open/1', direction: 'download' });
  expect((await rawRequest(app.origin, new URL(url).pathname)).text()).toBe('twelve bytes');
  const links = await linksFrom(people, onSocket);
  for (const link of links) {
    expect((await fetch(link)).status).toBe(200);
    // Somebody who takes the service for the storage.
    const { pathname, search } = new URL(link);
    for (const path of [`${pathname}${search}`, `/api/providers/main/buckets/files/object${search}&key=open%2F1`])
      await people.http('dan', 'GET', path, { headers: { referer: link, 'user-agent': link } });
  }
  // Somebody who takes a credential for an id.
  for (const secret of [
    people.bearers.get('ada')!,
    people.apiKey,
    new URL(url).pathname.split('/').at(-1)!,
    ...links,
  ]) {
    for (const [method, more] of [
      ['apiKey/revoke', {}],
      ['apiKey/rotate', {}],
      ['apiKey/replaceScope', { scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } }],
      ['session/revoke', {}],
    ] as const) {
      await people.rpc('ada').fails(method, { id: secret, ...more });
    }
  }
  await app.close();
  http.ServerResponse.prototype.write = write;
  http.ServerResponse.prototype.end = end;
  text = segmentsIn(folder)
    .map((segment) => readFileSync(segmentFile(folder, segment), 'utf8'))
    .join('');
});
afterAll(() => rmSync(join(path, '..'), { recursive: true, force: true }));

/** The same people, whose calls go by WebSockets. */
function onSockets(of: People): People {
  return {
    ...of,
    rpc: (account) =>
      new RpcSocketClient(
        of.app.origin,
        account === 'key' ? of.apiKey : of.bearers.get(account)!,
        (message) => void (told += `${message}\n`),
      ),
  };
}

/** Signed links to read an object, made on each face. */
async function linksFrom(byPost: People, bySocket: People): Promise<string[]> {
  const place = { key: 'open/1', method: 'GET' } as const;
  const answer = await byPost.http('dan', 'POST', '/api/providers/main/buckets/files/object/presign', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...place, expires_in: 60 }),
  });
  const { url } = JSON.parse(answer.text()) as { readonly url: string };
  const others = await Promise.all(
    [byPost, bySocket].map((those) =>
      those.rpc('dan').call('object/presign', { provider: 'main', bucket: 'files', ...place, expiresIn: 60 }),
    ),
  );
  return [url, ...others.map((one) => one.url)];
}

const lines = () =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** What must not be known to who reads the audit, as it was told in answers. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  'session cookies': /svc_session=([^;\s]{20,})/g,
  'login cookies': /svc_login=([^;\s]{20,})/g,
  'bearer credentials': /"access_token":"([^"]{20,})"/g,
  'ID tokens': /"id_token":"([^"]{20,})"/g,
  'API keys': /(svc_ak_[\w-]{20,})/g,
  tickets: /\/v1\/transfers\/([\w-]{43})/g,
  cursors: /"next_?[cC]ursor":"([^"]{20,})"/g,
  'signatures of links': /X-Amz-Signature=(\w{20,})/g,
  'signed links': /"url":"(https?:[^"]*X-Amz-Signature[^"]*)"/g,
  codes: /[?&]code=([\w.-]{20,})/g,
};

describe('the audit of everything that the service can do', () => {
  it('verifies', () => {
    expect(verifyAudit(path, [PUBLIC_KEY])).toMatchObject([{ faults: [], notes: [] }]);
  });

  it.each(Object.entries(SECRETS))('holds none of the %s that were told', (_what, pattern) => {
    const secrets = new Set(
      [...told.matchAll(pattern)].flatMap(([, secret]) => [secret!, decodeURIComponent(secret!)]),
    );
    expect(secrets.size).toBeGreaterThan(0);
    expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('holds no secret of the configuration', () => {
    for (const secret of [
      SESSION_SECRET,
      AUDIT_SECRET,
      'idp-client-secret',
      app.s3.secretAccessKey,
      ...people.cookies.values(),
      ...people.bearers.values(),
      people.apiKey,
    ])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    // Logout tokens come in, and are never told.
    expect(text).not.toMatch(/eyJ[\w-]{8,}\.[\w-]+\./);
  });

  it('has a line of every operation, and before each change that was let through what was intended', () => {
    const seen = new Set(lines().map(({ operation }) => operation));
    // Nobody who is signed in calls these by a route that fails or is theirs, and what strangers read has no line.
    // Sessions for tokens are begun at the S3 endpoint, where `tests/system/s3/sts` looks at their lines.
    const quiet = new Set(['login/begin', 'service/read', 'login/local', 's3Session/create']);
    expect(Object.keys(operations).filter((name) => !seen.has(name) && !quiet.has(name))).toEqual([]);
    const bySeq = new Map(lines().map((line) => [line.seq, line]));
    const changed = lines().filter(
      ({ kind, operation = '', outcome }) =>
        kind === 'outcome' && operations[operation as keyof typeof operations].kind === 'change' && outcome === 'done',
    );
    const byHand = new Set(['login/finish', 'login/exchange', 'session/end', 'session/endByProvider']);
    for (const { operation = '', requestId, intent } of changed)
      if (!byHand.has(operation))
        expect([operation, bySeq.get(intent ?? 0)]).toMatchObject([
          operation,
          { kind: 'intent', operation, requestId },
        ]);
    expect(changed.length).toBeGreaterThan(30);
  });

  it('says the face, the bytes, and the rule that allowed', () => {
    expect(new Set(lines().flatMap(({ face }) => face ?? []))).toEqual(new Set(['http', 'rpc', 'socket']));
    const called = new Set(lines().flatMap(({ face, operation }) => (face === 'socket' ? [operation] : [])));
    expect(Object.keys(RPC_CASES).filter((name) => !called.has(name))).toEqual([]);
    const written = lines().filter(
      ({ operation, outcome, resources }) =>
        operation === 'object/write' && outcome === 'done' && resources?.[0]?.key === 'open/1',
    );
    expect(written[0]).toMatchObject({ bytes: 12, resources: [{ outcome: 'done', rule: 'team 1' }] });
    expect(
      lines()
        .filter(({ operation, resources }) => operation === 'object/read' && resources?.[0]?.key === 'open/1')
        .at(-1),
    ).toMatchObject({ bytes: 12, outcome: 'done' });
  });
});
