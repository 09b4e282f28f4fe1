import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { WebIdentities } from '../../src/signin/web-identity.ts';

it('tokens of strangers do not flood an issuer whose discovery fails', async () => {
  let asked = 0;
  const server = http.createServer((_req, res) => {
    asked += 1;
    res.writeHead(503).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identities = new WebIdentities({
    trusted: [{ issuer, audience: 'svc', groupsClaim: undefined }],
    proxy: undefined,
    now: () => Date.now(),
    warn: () => undefined,
  });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'RS256' })}.${part({ iss: issuer })}.AAAA`;
  for (let i = 0; i < 20; i++)
    await expect(identities.verify(token)).rejects.toMatchObject({ code: 'identity_provider_unavailable' });
  await identities.close();
  server.close();
  expect(asked).toBe(1);
});

it('an issuer is asked again after an hour where its keys are, and what was known is kept while it does not say', async () => {
  const pair = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    return { privateKey, kid, published: { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256' }] } };
  };
  const [before, after] = [await pair('before'), await pair('after')];
  let place: string | undefined = '/before';
  const server = http.createServer((req, res) => {
    const keys = { '/before': before.published, '/after': after.published }[req.url!];
    const answer = keys ?? (place && { issuer, jwks_uri: `${issuer}${place}` });
    res.writeHead(answer === undefined ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let now = Date.now();
  const warnings: string[] = [];
  const identities = new WebIdentities({
    trusted: [{ issuer, audience: 'svc', groupsClaim: undefined }],
    proxy: undefined,
    now: () => now,
    warn: (message) => void warnings.push(message),
  });
  const verify = async ({ privateKey, kid }: typeof before) => {
    const token = new SignJWT({ iss: issuer, aud: 'svc', sub: 'job', exp: Math.floor(now / 1000) + 300 });
    return identities.verify(await token.setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey));
  };
  const subject = { identity: { subject: 'job' } };
  expect(await verify(before)).toMatchObject(subject);
  place = undefined;
  now += 3_600_000;
  expect(await verify(before)).toMatchObject(subject);
  for (let waited = 0; warnings.length === 0 && waited < 100; waited += 1) await wait(20);
  expect(warnings).toEqual([expect.stringContaining('going on with what is known')]);
  expect(await verify(before)).toMatchObject(subject);
  place = '/after';
  now += 60_000;
  expect(await verify(before)).toMatchObject(subject);
  let verified: unknown;
  for (let waited = 0; verified === undefined && waited < 100; waited += 1) {
    await wait(20);
    verified = await verify(after).catch(() => undefined);
  }
  expect(verified).toMatchObject(subject);
  await expect(verify(before)).rejects.toMatchObject({ code: 'login_invalid' });
  await identities.close();
  server.close();
  expect(warnings).toHaveLength(1);
});
