import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { WebIdentities } from '../../../src/signin/web-identity.ts';
import { PrivateAuthority } from '../../support/private-authority.ts';

const known = tls.getCACertificates();
const authority = new PrivateAuthority();
let keys: { readonly privateKey: CryptoKey; readonly publicJwk: JWK };
let jwksUri = '';
let askedInPlain = 0;
const issuerServer = https.createServer(authority.issue(), (req, res) => {
  const isKeys = req.url === '/keys';
  const answer = isKeys ? { keys: [keys.publicJwk] } : { issuer: issuer(), jwks_uri: jwksUri };
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
const plainServer = http.createServer((_req, res) => {
  askedInPlain += 1;
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [keys.publicJwk] }));
});
const portOf = (server: http.Server | https.Server) => (server.address() as AddressInfo).port;
const issuer = () => `https://127.0.0.1:${portOf(issuerServer)}`;

beforeAll(async () => {
  tls.setDefaultCACertificates([...known, authority.certificate]);
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  keys = { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' } };
  for (const server of [issuerServer, plainServer])
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  tls.setDefaultCACertificates(known);
  issuerServer.close();
  plainServer.close();
  authority.remove();
});

async function verify(claims: JWTPayload = {}, groupsClaim?: string) {
  const identities = new WebIdentities({
    trusted: [{ issuer: issuer(), audience: 'svc', groupsClaim }],
    proxy: undefined,
    now: () => Date.now(),
    warn: () => undefined,
  });
  const token = await new SignJWT({ iss: issuer(), aud: 'svc', sub: 'job', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setExpirationTime('5m')
    .sign(keys.privateKey);
  try {
    return await identities.verify(token);
  } finally {
    await identities.close();
  }
}

it('keys of an issuer of HTTPS that come over plain HTTP are not asked for, because whoever is on the way could be anybody', async () => {
  jwksUri = `${issuer()}/keys`;
  expect((await verify()).identity).toEqual({ issuer: issuer(), subject: 'job', groups: [] });
  jwksUri = `http://127.0.0.1:${portOf(plainServer)}/keys`;
  await expect(verify()).rejects.toMatchObject({ code: 'identity_provider_unavailable' });
  expect(askedInPlain).toBe(0);
});

it('a token whose groups are `null` is refused, as one without them, because a denial of a group would not hold', async () => {
  jwksUri = `${issuer()}/keys`;
  expect((await verify({ groups: [] }, 'groups')).identity.groups).toEqual([]);
  for (const [groups, path] of [
    [undefined, 'groups'],
    [null, 'groups'],
    [{ mine: null }, 'groups.mine'],
  ] as const)
    await expect(verify({ groups }, path)).rejects.toMatchObject({ code: 'access_denied' });
  await expect(verify({ groups: null, _claim_names: { groups: 'src1' } }, 'groups')).rejects.toMatchObject({
    code: 'login_invalid',
  });
});

it('a logout token is refused, whatever type it has, because it is no proof that the person asks', async () => {
  jwksUri = `${issuer()}/keys`;
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  await expect(verify({ events, jti: 'j', sid: 's' })).rejects.toMatchObject({ code: 'login_invalid' });
});
