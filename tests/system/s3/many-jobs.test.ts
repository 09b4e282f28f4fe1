import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { needsOneProcess } from '../../support/one-process.ts';
import { startS3Face, type S3Face } from '../../support/s3-face.ts';
import { signed } from '../../support/s3-signer.ts';
import { startStubStorage, type StubStorage } from '../../support/stub-storage.ts';

/** Each of so many names of jobs may have 64 transfers under way, and all people together 448. */
const NAMES = 8;
const OF_A_NAME = 64;
const OF_ALL_JOBS = 336;

let face: S3Face;
/** Sends the first bytes of an object and keeps the others. */
let stalling: StubStorage;
beforeAll(async () => {
  stalling = await startStubStorage({ stallAfter: 1_024 });
  face = await startS3Face({
    config: (given) => {
      const config = given as {
        auth: { oidc: { issuer: string } };
        s3: object;
        bindings: object[];
        providers: object[];
      };
      return {
        ...config,
        s3: {
          ...config.s3,
          web_identity: [{ issuer: config.auth.oidc.issuer, audience: 'svc-jobs', groups_claim: 'repository' }],
        },
        bindings: [...config.bindings, { groups: ['team/docs'], policies: ['default-viewer'] }],
        providers: [
          ...config.providers,
          {
            name: 'stalling',
            type: 's3',
            endpoint: stalling.url,
            path_style: true,
            timeout_seconds: 300,
            credentials: { access_key_id: 'x', secret_access_key: 'x' },
          },
        ],
      };
    },
  });
});
afterAll(async () => {
  await face.app.close();
  await stalling.close();
});

/** A session of a job of one repository, which runs on a branch of this name. */
async function sessionOf(branch: string) {
  const now = Math.floor(Date.now() / 1_000);
  const token = await face.app.idp.signed({
    iss: face.app.issuer,
    aud: 'svc-jobs',
    sub: `repo:team/docs:ref:refs/heads/${branch}`,
    exp: now + 300,
    iat: now,
    repository: 'team/docs',
  });
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: 'arn:svc:provider:::stalling',
    RoleSessionName: 'job-1',
    WebIdentityToken: token,
  });
  const text = await (await fetch(face.endpoint, { method: 'POST', body })).text();
  const part = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)![1]!;
  return {
    key: { accessKeyId: part('AccessKeyId'), secretAccessKey: part('SecretAccessKey') },
    token: part('SessionToken'),
  };
}

it('the jobs of one repository leave transfers for people, however many names they have', async () => {
  needsOneProcess('the limit is one of each worker');
  const { app, endpoint } = face;
  const { host } = new URL(endpoint);
  const target = '/files/1048576';
  const cookie = `svc_session=${(await app.signIn('ada')).cookie(app.origin, 'svc_session')!}`;
  const open: http.ClientRequest[] = [];
  let begun = 0;
  for (let name = 0; name < NAMES; name += 1) {
    const { key, token } = await sessionOf(`branch-${name}`);
    for (let i = 0; i < OF_A_NAME; i += 1) {
      const headers = signed({ target, key, host, headers: { 'x-amz-security-token': token } });
      const req = http.request(endpoint + target, { agent: false, headers });
      req.on('error', () => undefined);
      req.on('response', (answer) => {
        answer.pause();
        if (answer.statusCode === 200) begun += 1;
      });
      req.end();
      open.push(req);
    }
  }
  // Until no further transfer begins.
  for (let before = -1; begun < OF_ALL_JOBS || begun > before;) {
    before = begun;
    await wait(500);
  }
  const read = await fetch(`${app.origin}/api/providers/stalling/buckets/files/object?key=5`, { headers: { cookie } });
  expect([read.status, (await read.text()).length]).toEqual([200, 5]);
  for (const req of open) req.destroy();
});
