import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startS3Face, type S3Face, type S3Key } from '../support/s3-face.ts';
import { sendRaw, signed, signedTarget, stampOf, type Unsigned } from '../support/s3-signer.ts';

let face: S3Face;
let key: S3Key;
let host: string;
let port: number;

beforeAll(async () => {
  face = await startS3Face();
  key = await face.key('ada');
  host = new URL(face.endpoint).host;
  port = face.app.service.s3Port!;
});
afterAll(() => face.app.close());

type Request = Omit<Unsigned, 'key' | 'host'> & Partial<Pick<Unsigned, 'key' | 'host'>>;
const ask = (request: Request, change: (headers: Record<string, string>) => Record<string, string> = (same) => same) =>
  sendRaw(port, request, change(signed({ key, host, ...request })));
const put: Request = { method: 'PUT', target: '/files/refused', body: 'x' };
const list: Request = { target: '/files?list-type=2' };

describe('a request', () => {
  it('is answered when it is signed as it is sent', async () => {
    expect((await ask({ ...put, target: '/files/raw%20%C3%BC+a!b' })).status).toBe(200);
    expect((await ask({ target: '/files/raw%20%C3%BC+a!b' })).text).toMatch(/\r\n\r\nx$/);
    expect((await ask({ target: '/files?list-type=2&prefix=raw%20%C3%BC' })).text).toContain('<Key>raw ü+a!b</Key>');
    for (const region of ['us-east-1', 'eu-central-1']) expect((await ask({ ...list, region })).status).toBe(200);
    expect((await ask({ ...list, target: '/?list-type=2', host: `files.${host}` })).text).toContain(
      '<Name>files</Name>',
    );
    for (const name of [`files.${host}`, 'files.127.0.0.1', 'FILES.127.0.0.1.:80'])
      expect((await ask({ target: '/raw%20%C3%BC+a!b', host: name })).text).toMatch(/\r\n\r\nx$/);
  });

  it('is answered when the value of a header ends in a byte that is a no-break blank alone', async () => {
    const headers = { 'x-amz-meta-place': Buffer.from('Là').toString('latin1') };
    expect((await ask({ ...put, target: '/files/accent', headers })).status).toBe(200);
  });

  it('keeps the blanks of other scripts around the value of a header', async () => {
    const value = '\u3000a\u00a0\ufeff';
    const headers = { 'x-amz-meta-place': Buffer.from(value).toString('latin1') };
    expect((await ask({ ...put, target: '/files/blanks', headers })).status).toBe(200);
    expect((await ask({ method: 'HEAD', target: '/files/blanks' })).text).toContain(`x-amz-meta-place: ${value}\r\n`);
  });

  it('stores a tab in a header as a blank, which each storage signs alike', async () => {
    const headers = { 'x-amz-meta-place': 'a b' };
    const sent = { 'x-amz-meta-place': 'a\tb' };
    const target = '/files/tabs';
    expect((await ask({ ...put, target, headers }, (signed) => ({ ...signed, ...sent }))).status).toBe(200);
    expect((await ask({ method: 'HEAD', target })).text).toContain('x-amz-meta-place: a b\r\n');
  });

  it('is answered with well-formed XML, whatever its marker', async () => {
    const { status, text } = await ask({ target: '/files?marker=a%26%3Cb' });
    expect(status).toBe(200);
    expect(text).toContain('<Marker>a&#38;&#60;b</Marker>');
  });

  const without = (name: string) => (headers: Record<string, string>) => {
    const { [name]: _left, ...rest } = headers;
    return rest;
  };
  const withHeader =
    (name: string, value: string | ((given: string) => string)) => (headers: Record<string, string>) => ({
      ...headers,
      [name]: typeof value === 'string' ? value : value(headers[name] ?? ''),
    });
  type Change = (headers: Record<string, string>) => Record<string, string>;
  it.each(['keep-alive', 'close'])(
    'is told why, though it reads nothing before it has sent everything (%s)',
    async (connection) => {
      const body = Buffer.alloc(16 * 2 ** 20);
      const headers = {
        ...signed({ ...put, key, host, headers: { connection } }),
        'content-length': String(body.length),
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const socket = connect(port, '127.0.0.1').pause();
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.write(`PUT /files/another HTTP/1.1\r\n${lines.join('')}\r\n`);
        socket.write(body, () => resolve());
      });
      let answer = '';
      for await (const bytes of socket.resume()) {
        answer += String(bytes);
        if (answer.includes('</Error>')) break;
      }
      expect(answer).toContain('<Code>SignatureDoesNotMatch</Code>');
    },
  );

  type Refusal = readonly [name: string, code: string, status: number, request: Request, change?: Change];
  const refusals: readonly Refusal[] = [
    ['no signature', 'AccessDenied', 403, list, without('authorization')],
    ['a signature of version 2', 'InvalidRequest', 400, list, withHeader('authorization', 'AWS AKIA:abc')],
    [
      'another kind of authorization',
      'AuthorizationHeaderMalformed',
      400,
      list,
      withHeader('authorization', 'Bearer x'),
    ],
    [
      'another signature',
      'SignatureDoesNotMatch',
      403,
      list,
      withHeader('authorization', (given) => given.replace(/.$/, (last) => (last === '0' ? '1' : '0'))),
    ],
    [
      'another header than it signed',
      'SignatureDoesNotMatch',
      403,
      { ...put, headers: { 'content-type': 'a/b' } },
      withHeader('content-type', 'a/c'),
    ],
    ['another host than it signed', 'SignatureDoesNotMatch', 403, list, withHeader('host', 'other.test')],
    ['no date', 'AccessDenied', 403, list, without('x-amz-date')],
    ['a date that is none', 'AccessDenied', 403, list, withHeader('x-amz-date', '20301399T000000Z')],
    ['no hash of its body', 'MissingSecurityHeader', 400, list, without('x-amz-content-sha256')],
    ['a hash that is none', 'InvalidArgument', 400, { ...list, payloadHash: 'x' }],
    ['a time that is past', 'RequestTimeTooSkewed', 403, { ...list, at: Date.now() - 16 * 60_000 }],
    ['a time that is to come', 'RequestTimeTooSkewed', 403, { ...list, at: Date.now() + 16 * 60_000 }],
    [
      'the scope of another day',
      'AuthorizationHeaderMalformed',
      400,
      list,
      withHeader('authorization', (given) => given.replace(/\/\d{8}\//, '/20200101/')),
    ],
    ['the scope of another service', 'AuthorizationHeaderMalformed', 400, { ...list, service: 'sts' }],
    ['a region that is none', 'AuthorizationHeaderMalformed', 400, { ...list, region: 'x'.repeat(65) }],
    [
      'headers that are signed without the host',
      'AuthorizationHeaderMalformed',
      400,
      list,
      withHeader('authorization', (given) => given.replace('host;', '')),
    ],
    [
      'a header of Amazon that is not signed',
      'AccessDenied',
      403,
      { ...put, unsigned: { 'x-amz-copy-source': 'files/other' } },
    ],
    ['a session token', 'InvalidToken', 400, { ...list, headers: { 'x-amz-security-token': 'x' } }],
    [
      'an unknown header of Amazon',
      'NotImplemented',
      501,
      { ...put, headers: { 'x-amz-server-side-encryption': 'AES256' } },
    ],
    ['an expected owner', 'NotImplemented', 501, { ...put, headers: { 'x-amz-expected-bucket-owner': '1' } }],
    ['another access list', 'AccessControlListNotSupported', 400, { ...put, headers: { 'x-amz-acl': 'public-read' } }],
    ['a version', 'NotImplemented', 501, { target: '/files/x?versionId=1' }],
    ['an unknown parameter', 'NotImplemented', 501, { target: '/files/x?torrent' }],
    [
      'a version of the source of a copy',
      'NotImplemented',
      501,
      { ...put, body: '', headers: { 'x-amz-copy-source': '/files/a?versionId=1' } },
    ],
    [
      'a source of a copy that is none',
      'InvalidArgument',
      400,
      { ...put, body: '', headers: { 'x-amz-copy-source': 'files' } },
    ],
    ['a parameter that is there twice', 'InvalidArgument', 400, { target: '/files?list-type=2&prefix=a&prefix=b' }],
    ['another delimiter', 'NotImplemented', 501, { target: '/files?list-type=2&delimiter=-' }],
    ['a number that is none', 'InvalidArgument', 400, { target: '/files?list-type=2&max-keys=x' }],
    ['a path that is no UTF-8', 'InvalidURI', 400, { target: '/files/%ff' }],
    ['a key without a bucket', 'InvalidURI', 400, { target: '//key' }],
    ['a bucket that is none', 'InvalidBucketName', 400, { target: '/FILES/x' }],
    ['a new bucket that can be none', 'InvalidBucketName', 400, { ...put, body: '', target: '/not_a_name' }],
    [
      'a copy of an object to itself',
      'InvalidRequest',
      400,
      { ...put, body: '', target: '/files/a', headers: { 'x-amz-copy-source': '/files/a' } },
    ],
    ['an upload to abort that is none', 'NoSuchUpload', 404, { method: 'DELETE', target: '/files/a?uploadId=none' }],
    ['a key with a segment of dots', 'InvalidArgument', 400, { target: '/files/a/%2e%2e/b' }],
    ['a key that is too long', 'InvalidArgument', 400, { target: `/files/${'k'.repeat(1_025)}` }],
    ['a method that is none', 'MethodNotAllowed', 405, { method: 'PATCH', target: '/files/x' }],
    ['a form to upload', 'NotImplemented', 501, { method: 'POST', target: '/files' }],
    [
      'no length',
      'MissingContentLength',
      411,
      { ...put, payloadHash: 'UNSIGNED-PAYLOAD', body: '1\r\nx\r\n0\r\n\r\n' },
      (headers) => ({ ...headers, 'transfer-encoding': 'chunked', 'content-length': '' }),
    ],
    [
      'more than a request may store',
      'EntityTooLarge',
      400,
      { ...put, payloadHash: 'UNSIGNED-PAYLOAD' },
      withHeader('content-length', String(6 * 2 ** 30)),
    ],
    ['another body than its hash', 'XAmzContentSHA256Mismatch', 400, { ...put, payloadHash: 'a'.repeat(64) }],
    [
      'more XML than a request may hold',
      'MalformedXML',
      400,
      { method: 'POST', target: '/files?delete', payloadHash: 'UNSIGNED-PAYLOAD', body: '<Delete/>' },
      withHeader('content-length', String(2 * 1_048_576 + 1)),
    ],
    ['a body that is no XML', 'MalformedXML', 400, { method: 'POST', target: '/files?delete', body: '<Delete>' }],
    [
      'a document type in its XML',
      'MalformedXML',
      400,
      {
        method: 'POST',
        target: '/files?delete',
        body: '<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>',
      },
    ],
    [
      'XML that is no UTF-8, whose keys would become others',
      'MalformedXML',
      400,
      {
        method: 'POST',
        target: '/files?delete',
        payloadHash: 'UNSIGNED-PAYLOAD',
        body: '<Delete><Object><Key>caf\xe9</Key></Object></Delete>',
      },
    ],
    [
      'XML that says that it has another encoding',
      'MalformedXML',
      400,
      {
        method: 'POST',
        target: '/files?delete',
        body: '<?xml version="1.0" encoding="ISO-8859-1"?><Delete><Object><Key>a</Key></Object></Delete>',
      },
    ],
    [
      'too many keys',
      'MalformedXML',
      400,
      {
        method: 'POST',
        target: '/files?delete',
        body: `<Delete>${'<Object><Key>k</Key></Object>'.repeat(1_001)}</Delete>`,
      },
    ],
    [
      'more elements in its XML than any call has',
      'MalformedXML',
      400,
      {
        method: 'PUT',
        target: '/files/x?acl',
        body: `<AccessControlPolicy>${'<Owner><ID></ID></Owner>'.repeat(10_001)}</AccessControlPolicy>`,
      },
    ],
    [
      'an element with more in it than any call has',
      'MalformedXML',
      400,
      {
        method: 'PUT',
        target: '/files/x?acl',
        body: `<AccessControlPolicy><Owner>${Array.from({ length: 100_001 }, (_, i) => `<x${i}/>`).join('')}</Owner></AccessControlPolicy>`,
      },
    ],
    [
      'the checksum of a whole object that is joined, which is not the one of the body',
      'NotImplemented',
      501,
      {
        method: 'POST',
        target: '/files/x?uploadId=1',
        headers: { 'x-amz-checksum-crc32': 'pDJo9A==', 'x-amz-checksum-type': 'FULL_OBJECT' },
        body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>a</ETag></Part></CompleteMultipartUpload>',
      },
    ],
    [
      'parts out of their order',
      'InvalidPartOrder',
      400,
      {
        method: 'POST',
        target: '/files/x?uploadId=1',
        body: '<CompleteMultipartUpload><Part><PartNumber>2</PartNumber><ETag>a</ETag></Part><Part><PartNumber>1</PartNumber><ETag>a</ETag></Part></CompleteMultipartUpload>',
      },
    ],
    [
      'a version in an element of elements',
      'MalformedXML',
      400,
      {
        method: 'POST',
        target: '/files?delete',
        body: '<Delete><Object><Key>a</Key><VersionId><x>1</x></VersionId></Object></Delete>',
      },
    ],
    [
      'two keys of one object',
      'MalformedXML',
      400,
      { method: 'POST', target: '/files?delete', body: '<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>' },
    ],
    [
      'an element in a key',
      'MalformedXML',
      400,
      {
        method: 'POST',
        target: '/files?delete',
        body: '<Delete><Object><Key>a</Key></Object><Object><Key><b>x</b></Key></Object></Delete>',
      },
    ],
    [
      'a condition of a deletion',
      'NotImplemented',
      501,
      { method: 'DELETE', target: '/files/x', headers: { 'if-none-match': '*' } },
    ],
    [
      'a time as a condition of a deletion',
      'NotImplemented',
      501,
      { method: 'DELETE', target: '/files/x', headers: { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' } },
    ],
    [
      'a condition of an upload that begins',
      'NotImplemented',
      501,
      { method: 'POST', target: '/files/x?uploads', headers: { 'if-none-match': '*' } },
    ],
    [
      'a time that is none about the source of a copy',
      'InvalidArgument',
      400,
      {
        ...put,
        body: '',
        headers: { 'x-amz-copy-source': '/files/a', 'x-amz-copy-source-if-unmodified-since': 'rubbish' },
      },
    ],
    [
      'a condition on the source of a copy that S3 does not have',
      'NotImplemented',
      501,
      { ...put, body: '', headers: { 'x-amz-copy-source': '/files/a', 'x-amz-copy-source-if-size': '1' } },
    ],
    [
      'more about a new bucket than its place',
      'NotImplemented',
      501,
      {
        ...put,
        target: '/tagged',
        body: '<CreateBucketConfiguration><Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags></CreateBucketConfiguration>',
      },
    ],
    [
      'a body about a new bucket that is none',
      'MalformedXML',
      400,
      { ...put, target: '/tagged', body: '<Delete><Object><Key>a</Key></Object></Delete>' },
    ],
    [
      'a blank in the source of a copy',
      'InvalidArgument',
      400,
      { ...put, body: '', headers: { 'x-amz-copy-source': '/files/a b' } },
    ],
    ['a header that is no UTF-8', 'InvalidArgument', 400, { ...put, headers: { 'x-amz-meta-a': 'caf\xe9' } }],
    [
      'grants to others',
      'AccessControlListNotSupported',
      400,
      {
        method: 'PUT',
        target: '/files/x?acl',
        body: '<AccessControlPolicy><AccessControlList><Grant><Grantee><URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList></AccessControlPolicy>',
      },
    ],
    ['a header of the answer that can be none', 'InvalidArgument', 400, { target: '/files/x?response-cache-control=' }],
    [
      'another decoded length than its own',
      'InvalidRequest',
      400,
      { ...put, headers: { 'x-amz-decoded-content-length': '9' } },
    ],
    ['an unknown upload', 'NoSuchUpload', 404, { target: '/files/x?uploadId=unknown' }],
    ['an unknown key', 'NoSuchKey', 404, { target: '/files/none' }],
    ['an unknown bucket', 'NoSuchBucket', 404, { target: '/missing?list-type=2' }],
  ];
  it.each(refusals.map((refusal) => [refusal[0], refusal] as const))('with %s is refused', async (_name, refusal) => {
    const [, code, status, request, change] = refusal;
    const answer = await ask(request, change);
    expect([answer.code, answer.status]).toEqual([code, status]);
    expect(answer.text).toMatch(/x-amz-request-id: [0-9a-f-]{36}/);
    expect(answer.text).not.toMatch(/ at .+:\d+:\d+|node_modules/);
    expect((await ask({ target: '/files/refused' })).code).toBe('NoSuchKey');
  });

  it('that is sent to the page of the service is refused there, as are API keys here', async () => {
    const { credential } = await (
      await face.rpc('ada')
    ).call('apiKey/create', {
      description: 'x',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
      expiresAt: null,
    });
    expect((await ask(list, withHeader('authorization', `Bearer ${credential}`))).status).toBe(400);
    const answer = await fetch(`${face.app.origin}/api/providers`, {
      headers: { authorization: `Bearer ${key.secretAccessKey}` },
    });
    expect(answer.status).toBe(401);
  });
});

describe('a link', () => {
  const get = (target: string) => sendRaw(port, { target }, { host });
  it.each<readonly [string, string, (place: { key: S3Key; host: string; target: string }) => string]>([
    ['has expired', 'AccessDenied', (place) => signedTarget({ ...place, at: Date.now() - 120_000 })],
    ['is not valid yet', 'AccessDenied', (place) => signedTarget({ ...place, at: Date.now() + 20 * 60_000 })],
    ['lasts too long', 'AuthorizationQueryParametersError', (place) => signedTarget({ ...place, expires: '604801' })],
    [
      'lasts for a negative time',
      'AuthorizationQueryParametersError',
      (place) => signedTarget({ ...place, expires: '-1' }),
    ],
    [
      'has another signature',
      'SignatureDoesNotMatch',
      (place) => signedTarget(place).replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ],
    ['has another parameter', 'SignatureDoesNotMatch', (place) => `${signedTarget(place)}&response-expires=x`],
    [
      'lacks a parameter',
      'AuthorizationQueryParametersError',
      (place) => signedTarget(place).replace(/X-Amz-Date=[^&]+&/, ''),
    ],
    ['names no object', 'NotImplemented', (place) => signedTarget({ ...place, target: '/files?list-type=2' })],
    ['has a version 2 signature', 'InvalidRequest', () => '/files/x?AWSAccessKeyId=a&Signature=b&Expires=1'],
  ])('that %s is %s', async (_name, code, link) => {
    expect((await get(link({ key, host, target: '/files/linked' }))).code).toBe(code);
  });

  it('that copies asks whether both ends may be shared', async () => {
    // Dan may share in `files`, and nothing of `secret/`.
    const of = await face.key('dan');
    const copies = (source: string, to: string) =>
      signedTarget({
        key: of,
        host,
        method: 'PUT',
        target: `/files/${to}?x-amz-copy-source=${encodeURIComponent(source)}`,
      });
    const codes = [];
    for (const [source, to] of [
      ['files/secret/a', 'b'],
      ['files/a', 'secret/b'],
      ['files/a', 'b'],
    ] as const)
      codes.push((await sendRaw(port, { method: 'PUT', target: copies(source, to) }, { host })).code);
    expect(codes).toEqual(['AccessDenied', 'AccessDenied', 'NoSuchKey']);
    const pia = await face.key('pia');
    const target = signedTarget({
      key: pia,
      host,
      method: 'PUT',
      target: '/photos/2025/b?x-amz-copy-source=photos%2F2025%2Fa',
    });
    expect((await sendRaw(port, { method: 'PUT', target }, { host })).text).toContain(
      'objects:presign on main/photos/2025/',
    );
  });

  it('stores what its query says, and no copy that its sender adds', async () => {
    const target = signedTarget({ key, host, method: 'PUT', target: '/files/by-link?x-amz-meta-colour=blue' });
    expect((await sendRaw(port, { method: 'PUT', target, body: 'x' }, { host })).status).toBe(200);
    expect((await ask({ method: 'HEAD', target: '/files/by-link' })).text).toContain('x-amz-meta-colour: blue');
    const acl = signedTarget({ key, host, method: 'PUT', target: '/files/by-link?x-amz-acl=public-read' });
    expect((await sendRaw(port, { method: 'PUT', target: acl, body: 'x' }, { host })).code).toBe(
      'AccessControlListNotSupported',
    );
  });
});

it('nothing of a signature is in the log', async () => {
  const link = signedTarget({ key, host, target: '/files/none' });
  await sendRaw(port, { target: link }, { host });
  const lines = face.app.logged();
  expect(lines).toContain('object/read');
  expect(lines).not.toContain(link.slice(-64));
  expect(lines).not.toContain(key.secretAccessKey);
  expect(stampOf(0)).toBe('19700101T000000Z');
});
