import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Fields } from '../../../src/xml/alike.ts';
import { XmlReader } from '../../../src/xml/xml.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { startS3Face, type S3Face, type S3Key } from '../../support/s3-face.ts';
import { signed } from '../../support/s3-signer.ts';

/** A call of S3. `target` begins after the bucket. In it, in headers and in bodies, `UPLOAD` is the id of the last upload, `ETAG` the last ETag, and `BUCKET` the bucket. */
type Call = readonly [name: string, method: string, target: string, more?: Sent];

/** What a client acts upon. Times are compared by their form. */
const HEADERS = [
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'x-amz-meta-colour',
  'x-amz-meta-empty',
] as const;

/** What an answer to a write or a deletion does not say. */
const UNREAD: Readonly<Record<string, readonly string[]>> = { PUT: ['accept-ranges'] };
/** The content type of an object without one. */
const [TYPE, TYPE_OF_CEPH] = ['application/octet-stream', 'binary/octet-stream'];
/** Elements that each side words in its own way, and an element that only Ceph knows. The markers of the last page of uploads are of no use. */
const OWN = new Set([
  'Message',
  'RequestId',
  'HostId',
  'Resource',
  'BucketName',
  'Type',
  'NextKeyMarker',
  'NextUploadIdMarker',
]);

const DESCRIBED = {
  'content-type': 'text/x-test',
  'cache-control': 'max-age=5',
  'content-disposition': 'attachment; filename="a.txt"',
  'content-encoding': 'gzip',
  'content-language': 'de',
  expires: 'Wed, 21 Oct 2026 07:28:00 GMT',
  'x-amz-meta-colour': 'blue',
  'x-amz-meta-empty': '',
};
const COMPLETE =
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>ETAG</ETag></Part></CompleteMultipartUpload>';
const deletion = (...keys: readonly string[]) =>
  `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;

const CALLS: readonly Call[] = [
  ['an object', 'PUT', '/a.txt', { body: 'hello' }],
  ['an object with headers', 'PUT', '/described', { body: 'x', headers: DESCRIBED }],
  ['an empty object', 'PUT', '/empty', { body: '' }],
  ['a key of every kind of character', 'PUT', '/deep/%C3%BC%20%2B%25%26%3C%3E%22%27', { body: 'x' }],
  ['a folder mark', 'PUT', '/folder/', { body: '' }],
  ['the whole', 'GET', '/a.txt'],
  ['the headers', 'HEAD', '/a.txt'],
  ['headers that were given', 'GET', '/described'],
  ['nothing', 'GET', '/empty'],
  [
    'headers of the answer that are chosen',
    'GET',
    '/a.txt?response-content-type=a%2Fb&response-cache-control=no-store',
  ],
  ['a range', 'GET', '/a.txt', { headers: { range: 'bytes=1-2' } }],
  ['the end', 'GET', '/a.txt', { headers: { range: 'bytes=-2' } }],
  ['a range beyond the end', 'GET', '/a.txt', { headers: { range: 'bytes=9-' } }],
  ['the head of a range', 'HEAD', '/a.txt', { headers: { range: 'bytes=1-2' } }],
  ['an ETag that is the right one', 'GET', '/a.txt', { headers: { 'if-match': 'ETAG' } }],
  ['an ETag that is another', 'GET', '/a.txt', { headers: { 'if-match': '"other"' } }],
  ['what has not changed', 'GET', '/a.txt', { headers: { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' } }],
  ['a key that is missing', 'GET', '/missing'],
  ['the head of a key that is missing', 'HEAD', '/missing'],
  ['the tags of a key without tags', 'GET', '/a.txt?tagging'],
  ['a list', 'GET', '?list-type=2'],
  ['a list with encoded keys', 'GET', '?list-type=2&encoding-type=url'],
  ['a list with folders', 'GET', '?list-type=2&delimiter=%2F'],
  ['a list of a prefix', 'GET', '?list-type=2&prefix=de'],
  ['a list from a key on', 'GET', '?list-type=2&start-after=b'],
  ['a list of none', 'GET', '?list-type=2&max-keys=0'],
  ['a list of version 1', 'GET', '?delimiter=%2F'],
  ['a list of version 1 from a key on', 'GET', '?marker=b'],
  ['a list with a number that is none', 'GET', '?list-type=2&max-keys=x'],
  ['the bucket', 'HEAD', ''],
  ['the versioning of a bucket without', 'GET', '?versioning'],
  ['a copy', 'PUT', '/copied', { headers: { 'x-amz-copy-source': '/BUCKET/described' } }],
  ['what a copy keeps', 'HEAD', '/copied'],
  [
    'a copy with other metadata',
    'PUT',
    '/copied',
    {
      headers: {
        'x-amz-copy-source': '/BUCKET/described',
        'x-amz-metadata-directive': 'REPLACE',
        'x-amz-meta-colour': 'red',
      },
    },
  ],
  ['what a copy with other metadata keeps', 'HEAD', '/copied'],
  ['a copy to itself', 'PUT', '/a.txt', { headers: { 'x-amz-copy-source': '/BUCKET/a.txt' } }],
  ['a copy of what is missing', 'PUT', '/b.txt', { headers: { 'x-amz-copy-source': '/BUCKET/missing' } }],
  ['a sum that is wrong', 'PUT', '/wrong', { body: 'x', headers: { 'content-md5': 'XUFAKrxLKna5cZ2REBfFkg==' } }],
  ['what was not stored', 'HEAD', '/wrong'],
  ['an upload in parts', 'POST', '/joined?uploads', { headers: { 'x-amz-meta-colour': 'blue' } }],
  ['a part', 'PUT', '/joined?partNumber=1&uploadId=UPLOAD', { body: 'part' }],
  ['the parts', 'GET', '/joined?uploadId=UPLOAD'],
  ['the uploads', 'GET', '?uploads'],
  ['parts that never arrived', 'POST', '/joined?uploadId=UPLOAD', { body: COMPLETE.replace('ETAG', '"no"') }],
  ['the parts, joined', 'POST', '/joined?uploadId=UPLOAD', { body: COMPLETE }],
  ['the joined object', 'GET', '/joined'],
  ['the parts of an upload that is none', 'GET', '/joined?uploadId=none'],
  ['a part of an upload that is none', 'PUT', '/joined?partNumber=1&uploadId=none', { body: 'x' }],
  ['a completion of an upload that is none', 'POST', '/joined?uploadId=none', { body: COMPLETE }],
  ['an end of an upload that is none', 'DELETE', '/joined?uploadId=none'],
  ['a deletion', 'DELETE', '/empty'],
  ['a deletion of what is missing', 'DELETE', '/missing'],
  ['many deletions', 'POST', '?delete', { body: deletion('copied', 'joined', 'missing') }],
  ['a body that is no XML', 'POST', '?delete', { body: '<Delete' }],
  ['the deletion of a bucket that holds objects', 'DELETE', ''],
];

/** Where the answers differ otherwise, and why: the status of the service. */
const KNOWN: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  'the head of a range': [200, 'HTTP has ranges of GET only; the service answers with the headers of the whole'],
  'the parts, joined': [200, 'this gateway says no ETag'],
  'the parts of an upload that is none': [404, 'this gateway says `NoSuchKey`, and S3 `NoSuchUpload`'],
  'a completion of an upload that is none': [404, 'this gateway says that the completion is in progress'],
  'a body that is no XML': [400, 'this gateway answers without a body'],
};

type Way = { readonly endpoint: string; readonly key: S3Key; readonly bucket: string };

describeRadosGateway('a call through the service, beside the same call to the gateway of Ceph', () => {
  let ceph: RadosGateway;
  let face: S3Face;
  let ways: readonly Way[];

  beforeAll(async () => {
    ceph = await startRadosGateway();
    face = await startS3Face({ config: (given) => ({ ...given, providers: [ceph.provider] }) });
    const direct = { endpoint: ceph.options.endpoint, key: ceph.options.credentials, bucket: 'direct' };
    ways = [direct, { endpoint: face.endpoint, key: await face.key('ada'), bucket: 'passed' }];
    for (const { bucket } of ways) expect((await send(direct, 'PUT', `/${bucket}`)).status).toBe(200);
  });
  afterAll(async () => {
    await face.app.close();
    await ceph.close();
  });

  it.each(CALLS.map(([name, method, target, more = {}]) => ({ name, method, target, more })))(
    '$name',
    async ({ name, ...call }) => {
      const [direct, passed] = [await answerTo(call, ways[0]!), await answerTo(call, ways[1]!)];
      const known = KNOWN[name];
      if (known === undefined) {
        expect(passed).toEqual(direct);
      } else {
        expect(passed.status).toBe(known[0]);
        expect(passed).not.toEqual(direct);
      }
    },
  );
});

/** The id of the last upload and the last ETag of each bucket. */
const lastOf = new Map<string, { UPLOAD: string; ETAG: string }>();

type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

async function answerTo(
  { method, target, more }: { readonly method: string; readonly target: string; readonly more: Sent },
  way: Way,
) {
  const last = lastOf.get(way.bucket) ?? { UPLOAD: 'no upload', ETAG: 'no ETag' };
  lastOf.set(way.bucket, last);
  const filled = (text: string) =>
    text.replaceAll('BUCKET', way.bucket).replaceAll('UPLOAD', last.UPLOAD).replaceAll('ETAG', last.ETAG);
  const headers = Object.fromEntries(Object.entries(more.headers ?? {}).map(([name, value]) => [name, filled(value)]));
  const answer = await send(way, method, `/${way.bucket}${filled(target)}`, { headers, body: filled(more.body ?? '') });
  last.UPLOAD = /<UploadId>([^<]*)/.exec(answer.text)?.[1] ?? last.UPLOAD;
  last.ETAG = answer.headers['etag'] ?? last.ETAG;
  const isXml = answer.headers['content-type'] === 'application/xml';
  // The gateway also speaks of ranges where nothing was read, and the words of XML differ, and with them their length.
  const compared = HEADERS.filter(
    (name) => !(isXml ? ['accept-ranges', 'content-length'] : (UNREAD[method] ?? [])).includes(name),
  );
  return {
    status: answer.status,
    headers: Object.fromEntries(
      compared.map((name) => [name, answer.headers[name] === TYPE_OF_CEPH ? TYPE : answer.headers[name]]),
    ),
    body: answer.text.startsWith('<?xml') ? comparedXml(answer.text, way.bucket, last.UPLOAD) : answer.text,
  };
}

async function send({ endpoint, key }: Way, method: string, path: string, { headers = {}, body = '' }: Sent = {}) {
  const { hostname, port, host } = new URL(endpoint);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const signedHeaders = signed({ method, target: path, headers: { ...length, ...headers }, body, key, host });
  const req = request({ hostname, port, method, path, headers: signedHeaders });
  req.end(body);
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  return { status: res.statusCode!, headers: res.headers, text: (await buffer(res)).toString() };
}

/** The elements that both have, in one order. */
function comparedXml(xml: string, bucket: string, upload: string) {
  const reader = new XmlReader();
  reader.push(xml.replaceAll(bucket, 'BUCKET').replaceAll(upload, 'UPLOAD'));
  const { root, fields, items } = reader.end();
  const isEncoded = fields['EncodingType'] === 'url';
  const text = (name: string, value: string) => {
    if (['LastModified', 'Initiated'].includes(name)) return value.replace(/^[\d-]{10}T[\d:]{8}\.\d{3}Z$/, 'a time');
    // Which characters are encoded is for each side to choose, and a copy has its ETag with quotes or without.
    return name === 'ETag' ? value.replaceAll('"', '') : isEncoded ? decodeURIComponent(value) : value;
  };
  const compared = (of: Fields) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([name, value]) => (OWN.has(name) || value === '' ? [] : [[name, text(name, value)]])),
    );
  const others = items.filter(({ name }) => name !== 'Owner' && name !== 'Initiator');
  return [
    root,
    compared(fields),
    ...others.map((item) => JSON.stringify([item.name, Object.entries(compared(item.fields)).sort()])).sort(),
  ];
}
