import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
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
