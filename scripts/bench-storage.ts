/** The way of objects to and from storage, beside a bare Node proxy and nginx, in one run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../tests/support/free-port.ts';
import type { ContenderName, Ready } from './bench-storage/contender.ts';
import { growthDuring } from './bench-storage/memory.ts';
import { measureCopies } from './bench-storage/copies.ts';
import { besideProxy } from './measuring/beside-proxy.ts';
import { figure } from './measuring/figures.ts';
import { median } from './measuring/median.ts';
import { startContender } from './measuring/start-contender.ts';

const GIB = 2 ** 30;
const ZIP_KEYS = 10_000;

type Running = Ready & { readonly child: ChildProcess };
type Row = {
  readonly what: string;
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly direct: string;
  readonly ours: string;
  readonly atLeast: number;
};

const OBJECT = '/api/providers/main/buckets/bucket/object';
const ROWS: readonly Row[] = [
  {
    what: 'GET 1 kB',
    method: 'GET',
    direct: '/bucket/folder/a.txt',
    ours: `${OBJECT}?key=folder%2Fa.txt`,
    atLeast: 0.6,
  },
  {
    what: 'HEAD 1 kB',
    method: 'HEAD',
    direct: '/bucket/folder/a.txt',
    ours: `${OBJECT}?key=folder%2Fa.txt`,
    atLeast: 0.65,
  },
  // Each connection writes a key of its own: the writes of one key happen one after the other.
  {
    what: 'PUT 1 kB',
    method: 'PUT',
    direct: '/bucket/folder/{connection}.txt',
    ours: `${OBJECT}?key=folder%2F{connection}.txt`,
    atLeast: 0.55,
  },
  {
    what: 'page of 1,000 keys',
    method: 'GET',
    direct: '/bucket?list-type=2&max-keys=1000&prefix=folder%2F',
    ours: '/api/providers/main/buckets/bucket/objects?prefix=folder%2F&limit=1000',
    atLeast: 0.5,
  },
  {
    what: 'versions: page of 1,000',
    method: 'GET',
    direct: '/bucket?versions&max-keys=1000&prefix=folder%2F',
    ours: '/api/providers/main/buckets/bucket/versions?prefix=folder%2F&limit=1000',
    atLeast: 0.35,
  },
];

const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
const children: ChildProcess[] = [];
try {
  const storage = await start('storage');
  const target = `http://127.0.0.1:${storage.port}`;
  const [proxy, service] = [await start('proxy', target), await start('logging', target)];
  const nginx = await startNginx(storage.port);
  const only = process.argv[3];
  for (const row of ROWS)
    if (only === undefined || row.what.startsWith(only)) await compareRequests(row, proxy, service, nginx);
  if (only === undefined || only === 'stream') await compareStreams(proxy, service);
  if (only === undefined || only === 'ZIP') await measureArchive(service);
  if (only === undefined || only === 'copies') await compareCopies(target, service);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}

function start(name: ContenderName, target = ''): Promise<Running> {
  return startContender<Ready>('bench-storage/contender.ts', [name, target], children);
}

/** @returns undefined where nginx is not installed. */
async function startNginx(storagePort: number): Promise<Pick<Running, 'port' | 'child'> | undefined> {
  const port = await freePort();
  const file = join(directory, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${directory}/nginx.pid; error_log /dev/null;
     events { worker_connections 1024; }
     http { access_log off; keepalive_requests 10000000; client_body_temp_path ${directory}; proxy_temp_path ${directory}; fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory};
       upstream storage { server 127.0.0.1:${storagePort}; keepalive 128; keepalive_requests 10000000; }
       server { listen 127.0.0.1:${port}; location / { proxy_pass http://storage; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const child = spawn('nginx', ['-c', file], { stdio: 'ignore' });
  children.push(child);
  const failed = new Promise<true>((resolve) => child.once('error', () => resolve(true)));
  if ((await Promise.race([failed, wait(500)])) === true) return undefined;
  return { port, child };
}

async function compareRequests(
  row: Row,
  proxy: Running,
  service: Running,
  nginx: Pick<Running, 'port' | 'child'> | undefined,
): Promise<void> {
  const { method } = row;
  const contender = (name: string, { port, child }: Pick<Running, 'port' | 'child'>, path: string, cookie = '') => {
    const headers = {
      ...(cookie !== '' && { cookie }),
      ...(method === 'PUT' && { 'content-type': 'text/plain', origin: `http://127.0.0.1:${port}` }),
    };
    const body = method === 'PUT' ? 'x'.repeat(1024) : '';
    return { name, child, asked: { port, method, paths: [path], headers, body } };
  };
  await besideProxy(
    row,
    contender('bare Node proxy', proxy, row.direct),
    contender('svc', service, row.ours, service.cookie),
    nginx === undefined ? [] : [contender('nginx', nginx, row.direct)],
  );
}

async function compareStreams(proxy: Running, service: Running): Promise<void> {
  const bytes = 2 * GIB;
  const down = { proxy: [] as number[], service: [] as number[] };
  const up = { proxy: [] as number[], service: [] as number[] };
  let grown = 0;
  for (let round = 0; round < 3; round += 1) {
    down.proxy.push(await download(proxy, `/bucket/${bytes}`));
    grown = Math.max(
      grown,
      await growthDuring(service.child.pid, async () =>
        down.service.push(await download(service, `${OBJECT}?key=${bytes}`)),
      ),
    );
    up.proxy.push(await upload(proxy, '/bucket/large', bytes));
    grown = Math.max(
      grown,
      await growthDuring(service.child.pid, async () =>
        up.service.push(await upload(service, `${OBJECT}?key=large`, bytes)),
      ),
    );
  }
  console.log(
    `\n2 GiB in one stream, median of 3, MB a second\n  down: bare proxy ${median(down.proxy).toFixed(0)}, svc ${median(down.service).toFixed(0)}\n  up: bare proxy ${median(up.proxy).toFixed(0)}, svc ${median(up.service).toFixed(0)}`,
  );
  figure('2 GiB down, of a bare proxy', median(down.service) / median(down.proxy), { atLeast: 1 });
  figure('2 GiB up, of a bare proxy', median(up.service) / median(up.proxy), { atLeast: 1 });
  figure('memory of one stream, MB', grown, { atMost: 50 });
  const many = await growthDuring(service.child.pid, () =>
    Promise.all(Array.from({ length: 50 }, () => download(service, `${OBJECT}?key=${GIB / 8}`))),
  );
  figure('memory of 50 streams at once, MB', many, { atMost: 100 });
}

async function measureArchive(service: Running): Promise<void> {
  const body = JSON.stringify({ prefixes: ['zip/'] });
  const headers = {
    cookie: service.cookie,
    origin: `http://127.0.0.1:${service.port}`,
    'content-type': 'application/json',
  };
  const since = performance.now();
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/providers/main/buckets/bucket/archive`, {
    method: 'POST',
    headers,
    body,
  });
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (!answer.ok || bytes < ZIP_KEYS * 100)
    throw new Error(`the archive was answered with ${answer.status} and ${bytes} bytes`);
  console.log(
    `\nZIP of ${ZIP_KEYS.toLocaleString('en')} objects of 1 kB: ${Math.round((ZIP_KEYS / (performance.now() - since)) * 1000).toLocaleString('en')} objects a second`,
  );
}

/** `svc cp -r` beside `rclone`, where it is installed, on the simulated storage. */
async function compareCopies(endpoint: string, service: Running): Promise<void> {
  const copied = await measureCopies({ endpoint, accessKey: 'a', secretKey: 'b' }, service);
  for (const what of ['up', 'down', 'resumed up', 'resumed down'] as const) {
    console.log(`\n1,000 files of 1 kB ${what}, median of 5 rounds in turns`);
    for (const [name, { [what]: one }] of copied)
      console.log(
        `  ${name.padEnd(16)} ${one.rate.toFixed(0).padStart(7)} files a second, ${one.client.toFixed(2)} ms of processor time each${name === 'rclone' ? '' : `, the service ${one.service.toFixed(2)} ms`}`,
      );
  }
}

/** @returns MB a second. */
async function download({ port, cookie }: Running, path: string): Promise<number> {
  const since = performance.now();
  const bytes = await new Promise<number>((resolve, reject) => {
    http
      .get({ port, path, headers: { cookie }, agent: false }, (res) => {
        let seen = 0;
        res.on('data', (chunk: Buffer) => (seen += chunk.length));
        res.on('end', () =>
          res.statusCode === 200 ? resolve(seen) : reject(new Error(`${path} was answered with ${res.statusCode}`)),
        );
      })
      .on('error', reject);
  });
  return bytes / 1000 / (performance.now() - since);
}

/** @returns MB a second. */
async function upload({ port, cookie }: Running, path: string, bytes: number): Promise<number> {
  const since = performance.now();
  const chunk = Buffer.alloc(262_144, 'svc');
  await new Promise<void>((resolve, reject) => {
    const req = http.request(
      {
        port,
        path,
        method: 'PUT',
        agent: false,
        headers: { cookie, origin: `http://127.0.0.1:${port}`, 'content-length': bytes, 'content-type': 'text/plain' },
      },
      (res) => {
        res.resume();
        res.on('end', () =>
          res.statusCode === 200 || res.statusCode === 201
            ? resolve()
            : reject(new Error(`${path} was answered with ${res.statusCode}`)),
        );
      },
    );
    req.on('error', reject);
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!req.write(chunk)) return void req.once('drain', more);
      }
      req.end();
    };
    more();
  });
  return bytes / 1000 / (performance.now() - since);
}
