import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignInProbe } from '../../src/signin/probe.ts';

let provider: Server;
let answer: (res: ServerResponse) => void;
let probe: SignInProbe;

beforeAll(async () => {
  provider = createServer((req, res) => {
    const issuer = `http://${req.headers.host}`;
    if (req.url === '/keys' || req.url === '/token') {
      answer(res);
      return;
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  probe = new SignInProbe({
    issuer,
    clientId: 'svc',
    clientSecret: 'idp-client-secret',
    clientAuth: 'basic',
    redirectUri: `${issuer}/callback`,
    scopes: ['openid'],
    now: Date.now,
    warn: () => undefined,
  });
});
afterAll(async () => {
  await probe.close();
  provider.close();
});

const json = (status: number, body: unknown) => (res: ServerResponse) =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const page = (status: number) => (res: ServerResponse) =>
  void res.writeHead(status, { 'content-type': 'text/html' }).end('<p>busy</p>');

describe('SignInProbe.keys', () => {
  it('counts the keys with which a token could be verified', async () => {
    answer = json(200, {
      keys: [
        { kty: 'RSA' },
        { kty: 'RSA', use: 'sig' },
        { kty: 'RSA', use: 'enc' },
        { kty: 'EC', crv: 'P-256' },
        { kty: 'EC', crv: 'P-521' },
      ],
    });
    expect(await probe.keys()).toEqual({ usable: 3, date: expect.any(Number) });
  });

  it('finds none in a page, and no time where the provider does not tell it', async () => {
    answer = (res) => {
      res.sendDate = false;
      page(200)(res);
    };
    expect(await probe.keys()).toEqual({ usable: 0, date: undefined });
  });
});

describe('SignInProbe.redeemNothing', () => {
  it('gives the error, or the status where the provider answers with a page', async () => {
    answer = json(400, { error: 'invalid_grant' });
    expect(await probe.redeemNothing()).toBe('invalid_grant');
    answer = page(503);
    expect(await probe.redeemNothing()).toBe('status 503');
  });
});
