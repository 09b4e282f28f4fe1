import { GetObjectCommand, ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { needsOneProcess } from '../../support/one-process.ts';
import { startS3Face, type S3Face } from '../../support/s3-face.ts';
import { sendRaw, signed } from '../../support/s3-signer.ts';

const SUBJECT = 'repo:team/site:ref:refs/heads/main';
let face: S3Face;
let now = Date.now();

const startFace = (server?: object) =>
  startS3Face({
    now: () => now,
    config: (given) => {
      const { issuer } = (given as { auth: { oidc: { issuer: string } } }).auth.oidc;
      return {
        ...given,
        server: { ...(given as { server: object }).server, ...server },
        s3: {
          ...(given as { s3: object }).s3,
          web_identity: [{ issuer, audience: 'svc-jobs', groups_claim: 'repository' }],
          max_session_seconds: 1_800,
        },
        bindings: [
          ...(given as { bindings: object[] }).bindings,
          { subjects: [{ issuer, subject: SUBJECT }], policies: ['photos'] },
          { groups: ['team/docs'], policies: ['team'] },
        ],
      };
    },
  });
beforeAll(async () => {
  face = await startFace();
});
afterAll(() => face.app.close());

const tokenOf = (claims: object = {}, { app } = face) =>
  app.idp.signed({
    iss: app.issuer,
    aud: 'svc-jobs',
    sub: SUBJECT,
    exp: Math.floor(now / 1_000) + 300,
    iat: Math.floor(now / 1_000),
    repository: [],
    ...claims,
  });

async function assume(
  token: string,
  more: Readonly<Record<string, string>> = {},
  isQuery = false,
  { endpoint } = face,
) {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: 'arn:svc:provider:::main',
    RoleSessionName: 'job-1',
    WebIdentityToken: token,
    ...more,
  });
  const answer = isQuery
    ? await fetch(`${endpoint}/?${form.toString()}`, { method: 'POST' })
    : await fetch(endpoint, { method: 'POST', body: form });
  const text = await answer.text();
  const part = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return {
    code: part('Code'),
    message: part('Message'),
    status: answer.status,
    expiration: part('Expiration'),
    credentials: {
      accessKeyId: part('AccessKeyId')!,
      secretAccessKey: part('SecretAccessKey')!,
      sessionToken: part('SessionToken')!,
    },
  };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error: unknown) => (error as Error).name,
  );

describe('a session for a token of a trusted issuer', () => {
  it('is refused when its own token would be too long to be taken', async () => {
    const groups = (count: number) =>
      Array.from({ length: count }, (_, i) => `${'a long name of a group'.repeat(2)} ${i}`);
    const { credentials } = await assume(await tokenOf({ repository: groups(80) }));
    const client = new S3Client({ endpoint: face.endpoint, region: 'svc', credentials, forcePathStyle: true });
    expect(await codeOf(client.send(new ListBucketsCommand()))).toBe('success');
    expect(await assume(await tokenOf({ repository: groups(200) }))).toMatchObject({
      status: 400,
      code: 'ValidationError',
      message: expect.stringContaining('too long'),
    });
  });

  it('has the rights of the bindings of its subject, and ends in time', async () => {
    needsOneProcess('the clock of the test stands still');
    for (const isQuery of [false, true]) {
      const { status, credentials, expiration } = await assume(await tokenOf(), { DurationSeconds: '900' }, isQuery);
      expect([status, Date.parse(expiration!) - now]).toEqual([200, 900_000]);
      const client = face.client(credentials);
      const { Buckets } = await client.send(new ListBucketsCommand());
      expect(Buckets?.map(({ Name }) => Name)).toEqual(['photos']);
      await client.send(new PutObjectCommand({ Bucket: 'photos', Key: '2025/by job', Body: 'x' }));
      expect(await codeOf(client.send(new GetObjectCommand({ Bucket: 'files', Key: 'x' })))).toBe('AccessDenied');
      client.destroy();
    }
    expect(face.app.logged()).toMatch(/"operation":"s3Session\/create","outcome":"done",.*"via":"webIdentity"/);
  });

  it('has the rights of the groups in its claim', async () => {
    const { credentials } = await assume(await tokenOf({ sub: 'another job', repository: 'team/docs' }));
    const client = face.client(credentials);
    const { Buckets } = await client.send(new ListBucketsCommand());
    expect(Buckets?.map(({ Name }) => Name)).toEqual(['files']);
    client.destroy();
  });

  it('is refused, and none is begun, while an administrator has suspended its subject', async () => {
    const job = { issuer: face.app.issuer, subject: SUBJECT };
    const client = face.client((await assume(await tokenOf())).credentials);
    const admin = await face.rpc('ada');
    await admin.call('person/suspend', job);
    expect(await codeOf(client.send(new ListBucketsCommand()))).toBe('AccessDenied');
    expect((await assume(await tokenOf())).code).toBe('AccessDenied');
    await admin.call('person/resume', job);
    expect(await codeOf(client.send(new ListBucketsCommand()))).toBe('success');
    client.destroy();
  });

  it('ends its downloads in progress when an administrator suspends its subject', async () => {
    const at = { Bucket: 'photos', Key: '2025/large' };
    const client = face.client((await assume(await tokenOf())).credentials);
    await client.send(new PutObjectCommand({ ...at, Body: new Uint8Array(32 * 2 ** 20) }));
    const { Body: body } = await client.send(new GetObjectCommand(at));
    // The first look at the credential of a transfer is over.
    await wait(1_000);
    const admin = await face.rpc('ada');
    const job = { issuer: face.app.issuer, subject: SUBJECT };
    await admin.call('person/suspend', job);
    await wait(3_000);
    const read = body!.transformToByteArray().then(
      (bytes) => bytes.length,
      () => 'broken off',
    );
    expect(await read).toBe('broken off');
    await admin.call('person/resume', job);
    client.destroy();
  });

  it('is refused when it has expired, or is another one than its key', async () => {
    needsOneProcess('the test moves the clock');
    const first = (await assume(await tokenOf())).credentials;
    const second = (await assume(await tokenOf())).credentials;
    const asks = async (credentials: object) => {
      const client = new S3Client({
        endpoint: face.endpoint,
        region: 'svc',
        credentials: credentials as typeof first,
        forcePathStyle: true,
        maxAttempts: 1,
      });
      const code = await codeOf(client.send(new ListBucketsCommand()));
      client.destroy();
      return code;
    };
    expect([
      await asks(first),
      await asks({ ...first, sessionToken: second.sessionToken }),
      await asks({ ...first, secretAccessKey: second.secretAccessKey }),
      await asks({ ...first, sessionToken: undefined }),
    ]).toEqual(['success', 'InvalidToken', 'SignatureDoesNotMatch', 'InvalidAccessKeyId']);
    const before = now;
    now += 1_801_000;
    const headers = signed({
      key: first,
      host: new URL(face.endpoint).host,
      target: '/',
      at: now,
      headers: { 'x-amz-security-token': first.sessionToken },
    });
    expect((await sendRaw(face.app.service.s3Port!, { target: '/' }, headers)).code).toBe('ExpiredToken');
    now = before;
  });

  type Refusal = readonly [name: string, code: string, claims: object, form?: Readonly<Record<string, string>>];
  const refusals: readonly Refusal[] = [
    ['of another audience', 'InvalidIdentityToken', { aud: 'svc' }],
    ['of another issuer', 'InvalidIdentityToken', { iss: 'https://other.test' }],
    ['that has expired', 'ExpiredTokenException', { exp: Math.floor(now / 1_000) - 100 }],
    ['without an end', 'InvalidIdentityToken', { exp: undefined }],
    ['that is none', 'InvalidIdentityToken', {}, { WebIdentityToken: 'x.y.z' }],
    ['for an unknown provider', 'ValidationError', {}, { RoleArn: 'arn:svc:provider:::none' }],
    ['for no provider', 'ValidationError', {}, { RoleArn: 'arn:aws:iam::1:role/x' }],
    ['for too long', 'ValidationError', {}, { DurationSeconds: '1801' }],
    ['for too short', 'ValidationError', {}, { DurationSeconds: '1' }],
    ['without a name', 'ValidationError', {}, { RoleSessionName: '' }],
    ['for another action', 'ValidationError', {}, { Action: 'AssumeRole' }],
  ];
  it.each(refusals.map((refusal) => [refusal[0], refusal] as const))(
    'is not given for a token %s',
    async (_name, [, code, claims, form]) => {
      const answer = await assume(await tokenOf(claims), form);
      expect([answer.code, answer.status]).toEqual([code, 400]);
    },
  );

  it('is not given for a token without the claim with its groups, which a denial could name', async () => {
    const answer = await assume(await tokenOf({ repository: undefined }));
    expect([answer.code, answer.status, answer.message]).toEqual([
      'AccessDenied',
      403,
      expect.stringContaining('the token has no claim `repository`'),
    ]);
  });

  it('is not given to a stranger, to whom nothing is bound, and whose requests fill no audit', async () => {
    const limited = await startFace({ rate_limit: { sign_in_per_minute: 3 } });
    try {
      const ask = async (sub: string) => assume(await tokenOf({ sub }, limited), {}, false, limited);
      const codes: unknown[] = [];
      for (let i = 0; i < 5; i += 1) codes.push((await ask(`a stranger ${i}`)).code);
      expect(codes).toEqual(['AccessDenied', 'AccessDenied', 'AccessDenied', 'SlowDown', 'SlowDown']);
      expect((await ask(SUBJECT)).status).toBe(200);
      const lines = [...limited.app.logged().matchAll(/"operation":"s3Session\/create","outcome":"(\w+)"/g)];
      expect(lines.map(([, outcome]) => outcome)).toEqual(['denied', 'denied', 'denied', 'done']);
    } finally {
      await limited.app.close();
    }
  });

  it('is not given for a token with another signature', async () => {
    const { code } = await assume((await tokenOf()).replace(/.{4}$/, 'AAAA'));
    expect(code).toBe('InvalidIdentityToken');
  });
});

it('says who one is', async () => {
  const key = await face.key('ada');
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const headers = signed({
    method: 'POST',
    target: '/',
    key,
    host: new URL(face.endpoint).host,
    body,
    service: 'sts',
    at: now,
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
  });
  const ask = { method: 'POST', target: '/', body } as const;
  const answer = await sendRaw(face.app.service.s3Port!, ask, headers);
  expect(answer.text).toContain('<Arn>arn:svc:sts::main:ada</Arn>');
  const other = await sendRaw(face.app.service.s3Port!, { ...ask, body: `${body}&x=1` }, headers);
  expect(other.code).toBe('SignatureDoesNotMatch');
});
