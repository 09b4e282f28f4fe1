/** S3 that lists three million made-up keys, in a process of its own: `/count` tells how many listings it was asked for. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { compareKeys } from '../../src/policy/index/key-order.ts';

const EACH = 1_000_000;
const padded = (number: number, digits: number, base = 10) => number.toString(base).padStart(digits, '0');

/** A million keys of each, in the order of the folders. One key in a thousand has `needle` in its name. */
const FOLDERS: readonly { readonly prefix: string; readonly nameOf: (i: number) => string }[] = [
  { prefix: 'flat/', nameOf: (i) => `file-of-the-department-${padded(i, 7)}${i % 1000 === 500 ? '-needle' : ''}.txt` },
  { prefix: 'hex/', nameOf: (i) => `${padded(i * 4_294 + 17, 8, 16)}${i % 1000 === 500 ? '-needle' : ''}.bin` },
  {
    prefix: 'projects/',
    nameOf: (i) =>
      `${padded(Math.floor(i / 5000), 3)}/2025/${padded(Math.floor((i % 5000) / 417) + 1, 2)}/report-${padded((i % 5000) % 417, 4)}-${padded(i, 7)}${i % 1000 === 500 ? '-needle' : ''}.pdf`,
  },
];

function keyOf(i: number): string {
  const { prefix, nameOf } = FOLDERS[Math.floor(i / EACH)]!;
  return prefix + nameOf(i % EACH);
}

function indexBehind(position: string): number {
  let [low, high] = [0, EACH * FOLDERS.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(keyOf(middle), position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

let listings = 0;
const server = http.createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://storage');
  if (pathname === '/count') return void res.end(String(listings));
  listings += 1;
  const prefix = searchParams.get('prefix') ?? '';
  const begin = Math.max(indexBehind(searchParams.get('start-after') ?? ''), prefix === '' ? 0 : indexBehind(prefix));
  const end = prefix === '' ? EACH * FOLDERS.length : indexBehind(`${prefix}\u{10ffff}`);
  const stop = Math.min(begin + Number(searchParams.get('max-keys') ?? 1000), end);
  const contents: string[] = [];
  for (let i = begin; i < stop; i++)
    contents.push(
      `<Contents><Key>${keyOf(i)}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>&quot;0123456789abcdef0123456789abcdef&quot;</ETag><Size>1024</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    );
  const page = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><IsTruncated>${stop < end}</IsTruncated><EncodingType>url</EncodingType>${contents.join('')}</ListBucketResult>`;
  res.writeHead(200, { 'content-type': 'application/xml', 'content-length': page.length }).end(page);
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
process.send?.({ port: (server.address() as AddressInfo).port, cookie: '', guestCookie: '', credential: '' });
