import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { presign } from '../../../../src/storage/presign.ts';
import { headObject } from '../../../../src/storage/object-read.ts';
import { Storage } from '../../../../src/storage/storage.ts';
import { logged } from '../../../support/logged.ts';
import { withoutPolicy } from '../../../../src/storage/without-policy.ts';

const MINUTE_MS = 60_000;
const ENDPOINT = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
const CHAIN = [ENDPOINT, 'AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN', 'AWS_EC2_METADATA_DISABLED'];
const OTHERS = ['AWS_REGION', 'AWS_ENDPOINT_URL_STS', 'AWS_ENDPOINT_URL_SSO'];
const kept = Object.fromEntries(
  [
    ...CHAIN,
    ...OTHERS,
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AWS_SHARED_CREDENTIALS_FILE',
    'AWS_CONFIG_FILE',
    'HOME',
  ].map((name) => [name, process.env[name]]),
);

/** Answers that contain a secret. */
const REFUSALS: Readonly<Record<string, readonly [status: number, contentType: string, body: string]>> = {
  '/cut': [200, 'application/json', '{"a":canary}'],
  '/refusal/': [
    403,
    'text/xml',
    '<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>canary</Message></Error></ErrorResponse>',
  ],
  '/json/federation/credentials': [401, 'application/json', '{"__type":"UnauthorizedException","message":"canary"}'],
};

/** Gives temporary credentials, a new one each time, and is S3 that remembers the token it was asked with. */
let lastsMs: number;
let given: number;
let isHeld = false;
const tokens: (string | undefined)[] = [];
const server = http.createServer((req, res) => {
  const refusal = REFUSALS[req.url!.split('?', 1)[0]!];
  if (refusal !== undefined) {
    const [status, contentType, body] = refusal;
    return void res.writeHead(status, { 'content-type': contentType }).end(body);
  }
  if (req.url !== '/credentials') {
    tokens.push(req.headers['x-amz-security-token'] as string | undefined);
    return void res.writeHead(200, { etag: '"e"', 'content-length': 1 }).end();
  }
  given += 1;
  if (isHeld) return;
  const expiration = new Date(Date.now() + lastsMs).toISOString();
  res.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      AccessKeyId: `KEY${given}`,
      SecretAccessKey: 'secret',
      Token: `token-${given}`,
      Expiration: expiration,
    }),
  );
});
const opened: Storage[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  for (const name of Object.keys(kept)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, {
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
    AWS_CONFIG_FILE: '/nowhere',
    [ENDPOINT]: `${origin()}/credentials`,
  });
});
afterEach(() => {
  for (const storage of opened.splice(0)) storage.close();
  tokens.length = 0;
});
afterAll(() => {
  for (const [name, value] of Object.entries(kept)) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
  server.closeAllConnections();
  server.close();
});

function origin(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function provider(idleTimeoutMs = 5_000) {
  given = 0;
  const storage = new Storage([
    {
      name: 'test',
      type: 's3',
      endpoint: origin(),
      region: 'us-east-1',
      pathStyle: true,
      connectTimeoutMs: idleTimeoutMs,
      idleTimeoutMs,
    },
  ]);
  opened.push(storage);
  return storage.providers.provider('test');
}

describe('credentials of the AWS default chain', () => {
  it('sign with their session token, and are asked for once while they last', async () => {
    lastsMs = 60 * MINUTE_MS;
    const here = provider();
    for (let i = 0; i < 3; i += 1) await headObject(withoutPolicy({ provider: here, bucket: 'files', key: 'x' }));
    expect([tokens, given]).toEqual([['token-1', 'token-1', 'token-1'], 1]);
  });

  it('are renewed before they end', async () => {
    lastsMs = 2 * MINUTE_MS;
    const here = provider();
    for (let i = 0; i < 3; i += 1) {
      await headObject(withoutPolicy({ provider: here, bucket: 'files', key: 'x' }));
      // They are renewed beside the requests.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(given).toBeGreaterThan(1);
    expect(tokens.at(-1)).not.toBe('token-1');
  });

  it('make links that say when they end', async () => {
    lastsMs = 30 * MINUTE_MS;
    const { url, expiresAt } = await presign(
      withoutPolicy({ provider: provider(), bucket: 'files', key: 'x' }),
      'GET',
      3600,
    );
    expect(new URL(url).searchParams.get('X-Amz-Security-Token')).toBe('token-1');
    const left = Date.parse(expiresAt) - Date.now();
    expect([left > 29 * MINUTE_MS, left <= 30 * MINUTE_MS]).toEqual([true, true]);
  });

  it('that do not come hold a request no longer than its deadline or its client lasts, and leave no rejection to nobody', async () => {
    isHeld = true;
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const left = new AbortController();
    const here = provider(100);
    const asked = headObject(withoutPolicy({ provider: provider(), bucket: 'files', key: 'x' }), {
      signal: left.signal,
    });
    await expect(headObject(withoutPolicy({ provider: here, bucket: 'files', key: 'x' }))).rejects.toMatchObject({
      code: 'storage_timeout',
    });
    left.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    isHeld = false;
    server.closeAllConnections();
    expect([unhandled, tokens]).toEqual([[], []]);
  });

  it.each([
    ['refuses the connection', { [ENDPOINT]: 'http://127.0.0.1:1/credentials' }],
    ['lacks its token file', { AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere', AWS_ROLE_ARN: 'arn:aws:iam::1:role/svc' }],
    ['is not configured', {}],
  ])('that cannot be had, because their source %s, are told as that, in one line of the log', async (_why, set) => {
    for (const name of CHAIN) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', ...set });
    const asked = headObject(withoutPolicy({ provider: provider(), bucket: 'files', key: 'x' }));
    const fault: unknown = await asked.catch((error: unknown) => error);
    expect(fault).toMatchObject({
      code: 'storage_unavailable',
      detail: 'storage provider `test` has no credentials; set `credentials`, or give the AWS default chain some',
    });
    const text = logged((log) => log.error('storage_unavailable', { cause: fault }), 'text');
    expect(text.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['a cut answer', 'SyntaxError', () => ({ [ENDPOINT]: `${origin()}/cut` })],
    [
      'a refusal of STS',
      'InvalidClientTokenId',
      () => ({
        AWS_WEB_IDENTITY_TOKEN_FILE: import.meta.filename,
        AWS_ROLE_ARN: 'arn:aws:iam::1:role/svc',
        AWS_REGION: 'us-east-1',
        AWS_ENDPOINT_URL_STS: `${origin()}/refusal`,
      }),
    ],
    [
      'a refusal that the chain quotes',
      'UnauthorizedException',
      async () => {
        const home = await mkdtemp(join(tmpdir(), 'svc-sso-'));
        const token = join(home, '.aws/sso/cache', `${createHash('sha1').update('https://sso').digest('hex')}.json`);
        await mkdir(dirname(token), { recursive: true });
        await writeFile(token, JSON.stringify({ accessToken: 'token', expiresAt: '2999-01-01T00:00:00Z' }));
        const profile = ['start_url=https://sso', 'account_id=1', 'role_name=svc', 'region=us-east-1'];
        await writeFile(join(home, 'config'), `[default]\n${profile.map((line) => `sso_${line}\n`).join('')}`);
        return { HOME: home, AWS_CONFIG_FILE: join(home, 'config'), AWS_ENDPOINT_URL_SSO: `${origin()}/json` };
      },
    ],
  ])('that cannot be had, because of %s, put nothing of the answer into the log', async (_why, message, set) => {
    for (const each of CHAIN) Reflect.deleteProperty(process.env, each);
    Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', ...(await set()) });
    const asked = headObject(withoutPolicy({ provider: provider(), bucket: 'files', key: 'x' }));
    const fault: unknown = await asked.catch((error: unknown) => error);
    expect(fault).toMatchObject({ cause: { message, code: 'CredentialsProviderError' } });
    expect(logged((log) => log.error('storage_unavailable', { cause: fault }), 'json')).not.toContain('canary');
  });
});
