/** One process of the benchmark: it tells its address and the cookie to ask it with, then serves until it is ended. */
import { createHash } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { sign } from 'cookie-signature';
import { compose } from '../../src/compose/compose.ts';
import { loadSettings } from '../../src/config/load.ts';
import { ownMessages } from '../../src/http/own-messages.ts';
import { listen as serve } from '../../src/http/server.ts';
import { createLogger, type LogLevel } from '../../src/log/logger.ts';
import { freePort } from '../../tests/support/free-port.ts';
import type { S3Key } from '../../tests/support/s3-face.ts';
import { versionsPage } from './versions-page.ts';

export type ContenderName = 'storage' | 'proxy' | 'service' | 'logging' | 'audited' | 'measured' | 's3';
/** `cookie` and `credential` are those of the session to ask with; `guestCookie` is that of somebody who may list one folder. */
export type Ready = {
  readonly port: number;
  readonly cookie: string;
  readonly guestCookie: string;
  readonly credential: string;
  /** Of the service with its S3 endpoint: the port of the endpoint, and the S3 keys of both. */
  readonly s3?: { readonly port: number; readonly key: S3Key; readonly guestKey: S3Key };
};

const SECRET = 'a secret of the benchmark, which is long enough';
const OBJECT = Buffer.alloc(1024, 'svc');
const CHUNK = Buffer.alloc(65_536, 'svc');
const ETAG = createHash('md5').update(OBJECT).digest('hex');
const OBJECT_HEADERS = {
  'content-type': 'text/plain',
  etag: `"${ETAG}"`,
  'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT',
};
const CONTENTS = Array.from(
  { length: 1000 },
  (_, i) =>
    `<Contents><Key>${keyOf(i)}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>&quot;${ETAG}&quot;</ETag><Size>1024</Size><StorageClass>STANDARD</StorageClass></Contents>`,
);
const VERSIONS_PAGE = versionsPage(keyOf, ETAG);

const KEYS_IN: Readonly<Record<string, number>> = { 'zip/': 10_000, 'copies/': 1_000, 'sent/': 0 };

const [name, target = ''] = process.argv.slice(2);
process.send?.(
  await {
    storage,
    proxy,
    service: () => service(),
    logging: () => service({}, 'info'),
    audited: () => service({ audit: { path: 'audit', signing_secret: SECRET } }, 'info'),
    s3: async () => {
      const s3 = { port: await freePort(), secret: SECRET };
      return service({ s3: { ...s3, public_endpoint: `http://127.0.0.1:${s3.port}` } }, 'info');
    },
    measured: () => service({ server: { metrics: { port: 0 } } }),
  }[name as ContenderName](),
);

/** S3 that makes everything up: `/bucket/<bytes>` has that many, every other key a kilobyte, and every listing 1,000 keys or versions a page. */
async function storage(): Promise<Ready> {
  return listen((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://storage');
    if (req.method === 'PUT')
      return void req
        .resume()
        .on('end', () => res.writeHead(200, { etag: OBJECT_HEADERS.etag, 'content-length': 0 }).end());
    if (searchParams.has('versions')) return void res.end(VERSIONS_PAGE);
    if (searchParams.has('list-type')) {
      sendPage(searchParams, res);
      return;
    }
    // A folder is no object, which `rclone` asks first.
    if (pathname.slice('/bucket/'.length).replace(/\/?$/, '/') in KEYS_IN) return void res.writeHead(404).end();
    const bytes = Number(/\/(\d+)$/.exec(pathname)?.[1] ?? OBJECT.length);
    res.writeHead(200, { ...OBJECT_HEADERS, 'content-length': bytes });
    if (req.method === 'HEAD') res.end();
    else if (bytes === OBJECT.length) res.end(OBJECT);
    else sendBytes(bytes, res);
  });
}

function keyOf(i: number, folder = 'folder/'): string {
  return `${folder}file-of-the-department-${String(i).padStart(6, '0')}.txt`;
}

/** There are a million keys in `folder/`, 10,000 in `zip/`, 1,000 in `copies/` and none in `sent/`. The whole name of a key finds that one. */
function sendPage(query: URLSearchParams, res: http.ServerResponse): void {
  const begun =
    Number(/-(\d{6})\.txt$/.exec(query.get('start-after') ?? query.get('continuation-token') ?? '')?.[1] ?? -1) + 1;
  const prefix = query.get('prefix') ?? '';
  const isOne = prefix.endsWith('.txt');
  const total = isOne ? 1 : (KEYS_IN[prefix] ?? 1_000_000);
  const keys = Math.max(0, Math.min(Number(query.get('max-keys') ?? 1000), total - begun));
  const all =
    begun === 0 && prefix === 'folder/'
      ? CONTENTS.slice(0, keys)
      : Array.from({ length: keys }, (_, i) =>
          CONTENTS[0]!.replace(keyOf(0), isOne ? prefix : keyOf(begun + i, prefix)),
        );
  const truncated = begun + keys < total;
  const next = truncated ? `<NextContinuationToken>${keyOf(begun + keys - 1, prefix)}</NextContinuationToken>` : '';
  const page = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><IsTruncated>${truncated}</IsTruncated>${next}<EncodingType>url</EncodingType>${all.join('')}</ListBucketResult>`;
  res.writeHead(200, { 'content-type': 'application/xml', 'content-length': page.length }).end(page);
}

function sendBytes(bytes: number, res: http.ServerResponse): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !res.destroyed) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length));
      left -= chunk.length;
      if (!res.write(chunk)) return void res.once('drain', more);
    }
    if (left === 0) res.end();
  };
  more();
}

/** What Node costs alone, written as well as it can be in a few lines: every request goes to storage as it came, and every answer back. */
async function proxy(): Promise<Ready> {
  const { host, hostname, port } = new URL(target);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });
  return listen((req, res) => {
    req.headers.host = host;
    const options = { hostname, port, path: req.url, method: req.method, headers: req.headers, agent };
    const onward = http.request(options, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    if (req.method === 'PUT') req.pipe(onward);
    else onward.end();
  });
}

/** Writes as Node writes standard error into a file. */
function standardErrorIn(file: string): Writable {
  const descriptor = openSync(file, 'w');
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      writeSync(descriptor, text);
      done();
    },
  });
}

/** The service, with one session of somebody who may do everything in one folder. @param more - members of its configuration. @param level - what it logs, into a file. */
async function service(more: object = {}, level: LogLevel = 'error'): Promise<Ready> {
  const { SVC_TEST_S3_ACCESS_KEY: accessKey = 'a', SVC_TEST_S3_SECRET_KEY: secretKey = 'b' } = process.env;
  const port = await freePort();
  const file = join(await mkdtemp(join(tmpdir(), 'svc-bench-')), 'svc.config.yaml');
  const config = {
    auth: {
      enabled: true,
      public_origin: `http://127.0.0.1:${port}`,
      oidc: { issuer: 'http://127.0.0.1:1', client_id: 'bench' },
    },
    state: { path: 'state.db' },
    ...more,
    providers: [
      {
        name: 'main',
        type: 's3',
        endpoint: target,
        path_style: true,
        credentials: { access_key_id: accessKey, secret_access_key: secretKey },
      },
    ],
    policies: [
      {
        version: 1,
        name: 'team',
        rules: [
          {
            effect: 'allow',
            actions: ['buckets:read', 'objects:read', 'objects:write', 'objects:versions'],
            resources: [{ type: 'bucket', provider: 'main', bucket: 'bucket' }],
          },
        ],
      },
      {
        version: 1,
        name: 'guests',
        rules: [
          {
            effect: 'allow',
            actions: ['objects:list'],
            resources: [{ type: 'prefix', provider: 'main', bucket: 'bucket', prefix: 'projects/017/' }],
          },
        ],
      },
    ],
    bindings: [
      { groups: ['team'], policies: ['team'] },
      { groups: ['guests'], policies: ['guests'] },
    ],
  };
  await writeFile(file, JSON.stringify(config));
  const { settings, faults } = loadSettings({ file, env: { SVC_SESSION_SECRET: SECRET } });
  if (settings === undefined) throw new Error(JSON.stringify(faults));
  const messages = ownMessages();
  const log = createLogger({ level, format: 'json', stream: standardErrorIn(`${file}.log`) });
  const composed = await compose(settings, { messages, log, version: 'bench', webDirectory: 'dist/web' });
  const person = {
    identity: { issuer: 'https://login.example', subject: 'ada', groups: ['team'] },
    name: 'Ada',
    idToken: 'x'.repeat(900),
    address: '127.0.0.1',
  };
  const web = await composed.sessions.start({ kind: 'web', ...person });
  const desktop = await composed.sessions.start({ kind: 'desktop', ...person });
  const guest = await composed.sessions.start({
    kind: 'web',
    ...person,
    identity: { ...person.identity, subject: 'gil', groups: ['guests'] },
  });
  const cookieOf = (credential: string) => `svc_session=${encodeURIComponent(`s:${sign(credential, SECRET)}`)}`;
  await serve(composed.app, { host: '127.0.0.1', port, messages });
  const ready = {
    port,
    cookie: cookieOf(web.credential),
    guestCookie: cookieOf(guest.credential),
    credential: desktop.credential,
  };
  if (composed.s3 === undefined) return ready;
  await serve(composed.s3, { host: '127.0.0.1', port: settings.s3!.port });
  const key = async (cookie: string): Promise<S3Key> => {
    const call = { jsonrpc: '2.0', id: 1, method: 's3Key/create', params: { provider: 'main', description: 'bench' } };
    const headers = { cookie, origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}/rpc`, { method: 'POST', headers, body: JSON.stringify(call) });
    const { result } = (await answer.json()) as { result: { key: S3Key; secretAccessKey: string } };
    return { accessKeyId: result.key.accessKeyId, secretAccessKey: result.secretAccessKey };
  };
  const { cookie, guestCookie } = ready;
  return { ...ready, s3: { port: settings.s3!.port, key: await key(cookie), guestKey: await key(guestCookie) } };
}

async function listen(answer: http.RequestListener): Promise<Ready> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, cookie: '', guestCookie: '', credential: '' };
}
