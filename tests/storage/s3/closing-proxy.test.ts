import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { S3Client } from '../../../src/storage/s3/client.ts';

it('a request whose proxy closes the connection is sent three times in all, as without a proxy', async () => {
  let asked = 0;
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => void socket.end());
    asked += 1;
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const https = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = new S3Client({
    name: 'main',
    endpoint: 'https://storage.example.com',
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    proxy: { http: undefined, https, except: '' },
    connectTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
  });
  await expect(client.send({ method: 'GET', bucket: 'files', key: 'k' })).rejects.toMatchObject({
    code: 'storage_unavailable',
    detail: 'storage provider `main` cannot be reached through the proxy, which closed the connection; try again',
  });
  expect(asked).toBe(3);
  client.close();
  proxy.close();
});
