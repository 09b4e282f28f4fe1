import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/log/logger.ts';
import { startApp, SESSION_SECRET, type TestApp } from '../support/app.ts';
import { desktopAttempt, desktopCode, exchangeCode, type TokenAnswer } from '../support/desktop-client.ts';
import { collector, logged } from '../support/logged.ts';
import { rawRequest } from '../support/raw-request.ts';
import { signInAt, Visitor } from '../support/visitor.ts';

const CANARY = 'cAnArY0123456789abcdefghijklmnopqrstuvwxyz_';
const JWT = `eyJhbGciOiJSUzI1NiJ9.${CANARY}.${CANARY}`;

const SECRET_TEXTS = [
  `Bearer ${CANARY}`,
  `authorization: Basic ${CANARY}`,
  `Cookie: svc_session=s%3A${CANARY}; a=b`,
  `GET /v1/transfers/${CANARY}?x`,
  `/cb?a=b&code=${CANARY}`,
  `?state=${CANARY}`,
  `svc_ak_${CANARY}`,
  `redis://user:${CANARY}@127.0.0.1`,
  JWT,
];

/** What a careless caller could hand to the logger. */
const FIELDS: Readonly<Record<string, Record<string, unknown>>> = {
  'a bearer credential in headers': { headers: { authorization: `Bearer ${CANARY}` } },
  'basic credentials in headers': { headers: { Authorization: `Basic ${CANARY}` } },
  'a cookie in headers': { headers: { cookie: `svc_session=s%3A${CANARY}` } },
  'a cookie that is set': { headers: { 'set-cookie': [`svc_session=s%3A${CANARY}; Path=/`] } },
  'raw headers': { rawHeaders: ['Cookie', `svc_session=s%3A${CANARY}`, 'Authorization', `Bearer ${CANARY}`] },
  'a code and a state': {
    code: CANARY,
    state: CANARY,
    nonce: CANARY,
    query: { code: CANARY, state: CANARY },
    url: `/api/auth/callback?code=${CANARY}&state=${CANARY}`,
  },
  'an API key': { key: `svc_ak_id_${CANARY}`, text: `the key svc_ak_${CANARY}_${CANARY} is bad` },
  'a ticket': { url: `http://127.0.0.1:1/v1/transfers/${CANARY}`, ticket: CANARY },
  'an end-session URL': {
    endSessionUrl: `https://idp/logout?id_token_hint=${CANARY}`,
    text: `to https://idp/logout?id_token_hint=${JWT}&client_id=svc`,
  },
  'an ID token': { idToken: CANARY, id_token: CANARY, text: `the token ${JWT}` },
  'tokens of the provider': { tokens: { access_token: CANARY, refresh_token: CANARY } },
  'a client secret': { client_secret: CANARY, clientSecret: CANARY, body: `grant_type=x&client_secret=${CANARY}` },
  'storage credentials': {
    credentials: { accessKeyId: CANARY, secretAccessKey: CANARY },
    secretAccessKey: CANARY,
    sessionToken: CANARY,
  },
  'a presigned URL': {
    url: `http://s3/b/k?X-Amz-Credential=${CANARY}&X-Amz-Signature=${CANARY}&X-Amz-Security-Token=${CANARY}`,
  },
  'credentials in an URL': { url: `redis://user:${CANARY}@127.0.0.1:6379` },
  'a PKCE verifier': { code_verifier: CANARY, codeVerifier: CANARY },
  'an error with a request in its message, cause and members': {
    cause: Object.assign(
      new Error(`401 for Bearer ${CANARY}`, {
        cause: Object.assign(new Error(`svc_session=${CANARY}`), { config: { headers: { a: CANARY } } }),
      }),
      { request: { key: CANARY }, response: CANARY },
    ),
  },
  'an error whose cause is plain data': { cause: new Error('x', { cause: { code: CANARY, id_token: JWT } }) },
  'a list of errors': { cause: new AggregateError([new Error(`Bearer ${CANARY}`)], 'several') },
};

describe.each(['json', 'text'] as const)('a logger that writes %s', (format) => {
  it.each(Object.keys(FIELDS))('keeps %s to itself', (name) => {
    expect(logged((log) => log.warn('something happened', FIELDS[name]), format)).not.toContain(CANARY);
  });

  it('keeps secrets in messages to itself', () => {
    for (const text of SECRET_TEXTS) expect(logged((log) => log.error(text), format)).not.toContain(CANARY);
  });

  it('writes plain data as it writes all other, in the order in which it comes', async () => {
    const withoutTime = (lines: string) => lines.replaceAll(/"time":"[^"]+"/g, '');
    for (const key of [...SECRET_TEXTS, 'a/b "c"\\d\n\u2028\ud800.txt', 'basic.txt', 'svc_']) {
      const fields = { audit: true, resources: [{ key, bucket: 'files' }] };
      const slow = logged((log) => log.info('object/read done', fields), 'json');
      const { stream, text } = collector();
      const log = createLogger({ level: 'info', format: 'json', stream });
      void log.plain?.('object/read done', fields);
      log.info('object/read done', fields);
      void log.plain?.('object/read done', fields);
      void log.plain?.('object/read done', fields);
      await new Promise((resolve) => void setImmediate(resolve));
      expect(withoutTime(text())).toBe(withoutTime(slow.repeat(4)));
    }
  });

  it('names the worker in every line', async () => {
    const { stream, text } = collector();
    const log = createLogger({ level: 'info', format, stream, worker: 2 });
    log.error('without fields');
    log.info('with fields', { bucket: 'files' });
    await log.plain?.('plain', { bucket: 'files' });
    const lines = text().trim().split('\n');
    expect(lines).toHaveLength(format === 'json' ? 3 : 2);
    for (const line of lines) expect(line).toMatch(/"worker":2[,}]/);
  });

  it('still says what happened', () => {
    const line = logged(
      (log) =>
        log.error('storage failed', {
          requestId: 'r-1',
          cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
          bucket: 'files',
        }),
      format,
    );
    for (const word of ['storage failed', 'r-1', 'connect ECONNREFUSED', 'ECONNREFUSED', 'files'])
      expect(line).toContain(word);
  });

  it('shows what a terminal would obey, in messages and in fields', () => {
    const hostile = 'a\u009b31mb\u202ec\u2028d\u007fe';
    const line = logged((log) => log.info(hostile, { resource: hostile }), format).trimEnd();
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(line.match(/a\\u009b31mb\\u202ec\\u2028d\\u007fe/g)).toHaveLength(2);
  });

  it('writes one line an event, whatever the text holds', () => {
    expect(
      logged((log) => log.info('first\nsecond\r\n{"forged": true}', { subject: 'a\nb' }), format)
        .trimEnd()
        .split('\n'),
    ).toHaveLength(1);
  });
});

describe('a service at work', () => {
  const S3_SECRET = 'S3RVER';
  let app: TestApp;
  const secrets = new Map<string, string>();
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  const remember = (name: string, value: string | null | undefined): string => {
    if (value === null || value === undefined || value.length < 8) throw new Error(`no ${name} to look for`);
    secrets.set(name, value);
    return value;
  };

  it('logs what is done, and no secret from any place where one can stand', async () => {
    const visitor = new Visitor();
    const begun = await visitor.request(`${app.origin}/api/auth/login`);
    remember('browser secret', visitor.cookie(app.origin, 'svc_login'));
    const url = await signInAt(begun.headers.get('location')!, { account: 'ada', visitor });
    remember('provider code', new URL(url).searchParams.get('code'));
    remember('state', new URL(url).searchParams.get('state'));
    await visitor.request(url);
    await visitor.request(url);
    const cookie = remember('cookie', visitor.cookie(app.origin, 'svc_session'));
    remember('session credential', decodeURIComponent(cookie).slice(2).split('.')[0]);
    const mine = { cookie: `svc_session=${cookie}` };

    const attempt = desktopAttempt(app.origin);
    const code = remember('desktop code', (await desktopCode(app.origin, 'ada', attempt)).get('code'));
    remember('verifier', attempt.verifier);
    const { access_token: token } = (await (await exchangeCode(app.origin, attempt, code)).json()) as TokenAnswer;
    remember('desktop credential', token);
    const rpc = async (method: string, params: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (
        (
          await rawRequest(app.origin, '/rpc', {
            method: 'POST',
            headers,
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
          })
        ).json() as { result: Record<string, string> }
      ).result;
    };
    const ticket = await rpc('transfer/create', {
      direction: 'upload',
      provider: 'main',
      bucket: 'files',
      key: 'by ticket',
    });
    remember('ticket', new URL(ticket['url']!).pathname.split('/').at(-1));
    await fetch(ticket['url']!, { method: 'PUT', body: 'x' });
    await fetch(ticket['url']!, { method: 'PUT', body: 'x' });
    const key = await rpc('apiKey/create', {
      description: 'x',
      scope: { rules: [{ actions: ['objects:get'], resources: [{ type: 'all' }] }] },
      expiresAt: null,
    });
    remember('API key', key['credential']);
    await rawRequest(app.origin, '/rpc', {
      method: 'POST',
      headers: { authorization: `Bearer ${secrets.get('API key')!}`, 'content-type': 'application/json' },
      body: '{',
    });

    for (const path of [
      '/api/providers',
      '/api/nothing',
      '/api/providers/main/buckets/files/object?key=none',
      `/api/providers?access_token=${cookie}`,
      `/v1/transfers/${secrets.get('ticket')!}`,
    ]) {
      await rawRequest(app.origin, path, { headers: mine });
      await rawRequest(app.origin, path, { headers: { authorization: `Bearer ${token}` } });
      await rawRequest(app.origin, path, {
        headers: {
          authorization: `Basic ${remember('basic', Buffer.from('user:a long password').toString('base64'))}`,
        },
      });
    }
    app.storageCalls.spoil = () => 'cut';
    expect((await rawRequest(app.origin, '/api/providers/main/buckets', { headers: mine })).status).toBe(502);
    app.storageCalls.spoil = undefined;

    const ended = await visitor.request(`${app.origin}/api/auth/logout`);
    remember('ID token', new URL(ended.headers.get('location')!).searchParams.get('id_token_hint'));
    for (const [name, value] of [
      ['client secret', 'idp-client-secret'],
      ['session secret', SESSION_SECRET],
    ] as const)
      remember(name, value);

    const log = app.logged();
    for (const word of ['login/finish', 'session/end', 'storage_unavailable', '"subject":"ada"'])
      expect(log).toContain(word);
    for (const [name, secret] of secrets) {
      for (const form of [secret, decodeURIComponent(secret), encodeURIComponent(secret)])
        expect([name, log.includes(form)]).toEqual([name, false]);
    }
    expect(log.replaceAll('"S3RVER"', '')).not.toContain(`${S3_SECRET}/`);
  });

  it('logs no secret when the provider is down, and none when it fails in the middle', async () => {
    const lonely = await startApp({
      config: (config) => ({
        ...config,
        auth: {
          ...(config['auth'] as object),
          oidc: { ...(config['auth'] as { oidc: object }).oidc, issuer: 'http://127.0.0.1:1' },
        },
      }),
    });
    const attempt = desktopAttempt(lonely.origin);
    await fetch(attempt.authorizeUrl, { redirect: 'manual' });
    expect(lonely.logged()).toContain('desktop sign-in failed');
    for (const secret of [attempt.state, attempt.verifier, 'idp-client-secret'])
      expect(lonely.logged()).not.toContain(secret);
    await lonely.close();

    const broken = await startApp();
    const visitor = new Visitor();
    const begun = await visitor.request(`${broken.origin}/api/auth/login`);
    const url = await signInAt(begun.headers.get('location')!, { account: 'ada', visitor });
    await broken.idp.close();
    expect((await visitor.request(url)).status).toBe(502);
    expect(broken.logged()).toContain('identity_provider_unavailable');
    for (const name of ['code', 'state']) expect(broken.logged()).not.toContain(new URL(url).searchParams.get(name));
    expect(broken.logged()).not.toContain('idp-client-secret');
    await broken.close();
  });
});

describe('the text format', () => {
  it('has no stack of an error with a code, which is a state of a disk or another service', () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const text = logged((log) => log.error('the audit cannot be written', { cause: full }), 'text');
    expect(text).toMatch(
      /^\S+ error the audit cannot be written \{"cause":\{"name":"Error","message":"no space left on device","code":"ENOSPC"\}\}\n$/,
    );
    expect(logged((log) => log.error('x', { cause: full }), 'json')).toContain('redact.test.ts');
  });

  it('has the stack of any other error on lines of its own, in which no text of others begins a line', () => {
    const [line, ...frames] = logged(
      (log) => log.error('x', { cause: new Error('a\n2026-01-01 info forged\n  at \u001b[2Jforged') }),
      'text',
    )
      .trimEnd()
      .split('\n');
    expect(line).not.toContain('redact.test.ts');
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.every((frame) => /^ +at [^\p{Cc}]+$/u.test(frame))).toBe(true);
    expect(frames.join('')).toContain('redact.test.ts');
  });
});
