import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Speaks just enough S3 for huge bodies: throws away what is written, and makes up what is read. Counts both. */
export type StubStorage = { readonly url: string; readonly written: number; readonly sent: number; close(): Promise<void> };

const CHUNK = Buffer.alloc(256 * 1024, 'svc');

/** `GET /bucket/<n>` answers with n bytes; after `stallAfter` bytes it sends no more, and keeps the connection. */
export async function startStubStorage({ stallAfter = Infinity } = {}): Promise<StubStorage> {
  const stub = { written: 0, sent: 0 };
  const server = http.createServer((req, res) => {
    if (req.method === 'GET') {
      sendBytes(Number(new URL(req.url ?? '', 'http://x').pathname.split('/').at(-1)));
      return;
    }
    req.on('data', (chunk: Buffer) => (stub.written += chunk.length));
    req.on('end', () => {
      if (req.method === 'POST' && req.url?.includes('uploads')) return res.end('<InitiateMultipartUploadResult><UploadId>stub</UploadId></InitiateMultipartUploadResult>');
      if (req.method === 'POST') return res.end('<CompleteMultipartUploadResult><ETag>"stub"</ETag></CompleteMultipartUploadResult>');
      return res.writeHead(200, { etag: '"stub"' }).end();
    });

    function sendBytes(total: number): void {
      res.writeHead(200, { 'content-length': total, 'content-type': 'text/plain', etag: '"stub"' });
      let left = total;
      const more = (): void => {
        while (left > 0 && !res.destroyed) {
          if (total - left >= stallAfter) return;
          const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length));
          left -= chunk.length;
          stub.sent += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', more);
        }
        if (left === 0) res.end();
      };
      more();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(stub, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
