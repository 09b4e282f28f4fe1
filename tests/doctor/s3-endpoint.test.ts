import { once } from 'node:events';
import { createServer, request, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Findings } from '../../src/doctor/finding.ts';
import { examineS3Endpoint } from '../../src/doctor/s3-endpoint.ts';
import { freePort } from '../support/free-port.ts';
import { S3_SECRET, startS3Face, type S3Face } from '../support/s3-face.ts';

let face: S3Face;
beforeAll(async () => void (face = await startS3Face()));
afterAll(() => face.app.close());

async function said(publicEndpoint: string, secret = S3_SECRET): Promise<string> {
  const lines: string[] = [];
  const settings = { publicEndpoint, region: 'svc', secrets: [secret] };
  const findings = new Findings('S3', ({ state, text }) => void lines.push(`${state} ${text}`));
  await examineS3Endpoint(settings, 'main', findings);
  return lines.join('\n');
}

/** What the doctor says of the endpoint behind a proxy that changes requests. */
async function saidBehind(change: (sent: RequestOptions) => RequestOptions): Promise<string> {
  const { hostname, port } = new URL(face.endpoint);
  const proxy = createServer((req, res) => {
    const sent = { hostname, port, method: req.method, path: req.url, headers: req.headers };
    request(change(sent), (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    }).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    return await said(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

it('finds that nothing is changed, directly and behind a proxy', async () => {
  expect(await said(face.endpoint)).toBe(`ok ${face.endpoint} passes signed requests on as they are`);
  expect(await saidBehind((sent) => sent)).toMatch(/^ok /);
});

it.each<readonly [what: string, change: (sent: RequestOptions) => RequestOptions]>([
  ['`Host`', (sent) => ({ ...sent, headers: { ...(sent.headers as object), host: 'other' } })],
  ['the path', (sent) => ({ ...sent, path: sent.path!.replaceAll('//', '/') })],
  ['the path', (sent) => ({ ...sent, path: sent.path!.replace('%252F', '%2F') })],
  ['the query', (sent) => ({ ...sent, path: sent.path!.replace('d%252F', 'd%2F') })],
])('says that a proxy changes %s', async (what, change) => {
  const text = await saidBehind(change);
  expect(text).toMatch(/^failed .*: a proxy changes .*pass path, query and `Host` on as they came/);
  expect(text).toContain(`changes ${what}`);
});

it('says that the endpoint belongs to another service, or does not answer', async () => {
  expect(await said(face.endpoint, 'another secret of the tests, also of 32 bytes')).toMatch(
    /^failed .* with another `s3.secret`/,
  );
  expect(await said(`http://127.0.0.1:${await freePort()}`)).toMatch(/^warning .* does not answer as the S3 endpoint/);
  expect(await said(face.app.origin)).toMatch(/^warning .* does not answer as the S3 endpoint/);
});
