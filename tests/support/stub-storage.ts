import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Speaks just enough S3 for huge bodies and huge folders: throws away what is written, and makes up what is read. Counts both. */
export type StubStorage = {
  readonly url: string;
  readonly written: number;
  readonly sent: number;
  readonly listings: number;
  close(): Promise<void>;
};

const CHUNK = Buffer.alloc(256 * 1024, 'svc');

/**
 * `GET /bucket/<n>` answers with n bytes; after `stallAfter` bytes it sends no more, and keeps the connection.
 * A listing of a prefix that begins with `held/` is never answered. One of a prefix that begins with `<n>/` has n objects, `<n>/000000.txt` and so on; with `<n>/marks/`, their names are long and of combining marks, and with `<n>/control/` of a control character. The bucket `refusing` deletes nothing in bulk.
 */
export async function startStubStorage({ stallAfter = Infinity } = {}): Promise<StubStorage> {
  const stub = { written: 0, sent: 0, listings: 0 };
  const server = http.createServer((req, res) => {
    if (req.method === 'GET') {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://x');
      if (searchParams.has('list-type')) {
        stub.listings += 1;
        if (searchParams.get('prefix')?.startsWith('held/')) return;
        res.writeHead(200, { 'content-type': 'application/xml' }).end(listingOf(searchParams));
      } else sendBytes(Number(pathname.split('/').at(-1)) || 0);
      return;
    }
    const chunks: Buffer[] = [];
    const refuses = req.method === 'POST' && req.url?.startsWith('/refusing') && req.url.includes('?delete');
    req.on('data', (chunk: Buffer) => {
      stub.written += chunk.length;
      if (refuses) chunks.push(chunk);
    });
    req.on('end', () => {
      if (refuses) return res.end(refusalOf(Buffer.concat(chunks).toString()));
      if (req.method === 'POST' && req.url?.includes('?delete')) return res.end('<DeleteResult/>');
      if (req.method === 'POST' && req.url?.includes('uploads'))
        return res.end('<InitiateMultipartUploadResult><UploadId>stub</UploadId></InitiateMultipartUploadResult>');
      if (req.method === 'POST')
        return res.end('<CompleteMultipartUploadResult><ETag>"stub"</ETag></CompleteMultipartUploadResult>');
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

function listingOf(query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const total = Number.parseInt(prefix) || 0;
  const start = after.startsWith(prefix) && after !== '' ? Number.parseInt(after.slice(prefix.length)) + 1 : 0;
  const end = Math.min(start + Number(query.get('max-keys') ?? 1000), total);
  const isEncoded = query.get('encoding-type') === 'url';
  const [, folder] = /^\d+\/(\w+)\//.exec(prefix) ?? [];
  const marks =
    folder === 'marks' ? '\u0301\u0323\u0315\u0300'.repeat(122) : folder === 'control' ? '\u0001'.repeat(990) : '';
  const keyOf = (n: number) => `${prefix}${String(n).padStart(6, '0')}${marks}.txt`;
  const written = (key: string) => (isEncoded ? encodeURIComponent(key) : key);
  const objects = Array.from(
    { length: end - start },
    (_, i) =>
      `<Contents><Key>${written(keyOf(start + i))}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>"stub"</ETag><Size>${start + i}</Size></Contents>`,
  );
  const more = end < total ? `<NextContinuationToken>${keyOf(end - 1)}</NextContinuationToken>` : '';
  return `<ListBucketResult><KeyCount>${objects.length}</KeyCount><IsTruncated>${end < total}</IsTruncated>${more}${isEncoded ? '<EncodingType>url</EncodingType>' : ''}${objects.join('')}</ListBucketResult>`;
}

/** Every key of a bulk delete, as one that could not be deleted. */
function refusalOf(request: string): string {
  const errors = Array.from(
    request.matchAll(/<Key>.*?<\/Key>/gs),
    ([key]) => `<Error>${key}<Code>AccessDenied</Code><Message>it stays</Message></Error>`,
  );
  return `<DeleteResult>${errors.join('')}</DeleteResult>`;
}
