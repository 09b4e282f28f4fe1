import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { Crc32c, Crc64Nvme } from '@aws-sdk/checksums/crc';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeOf } from '../../../src/errors/svc-error.ts';
import { Framing, Payload, readForm } from '../../../src/s3/payload.ts';
import { S3Request } from '../../../src/s3/request.ts';
import type { Verified } from '../../../src/s3/signature.ts';
import { wholeBody } from '../../../src/storage/incoming-body.ts';

const SEED: Verified = {
  key: createSecretKey(Buffer.alloc(32, 7)),
  scope: '20300101/svc/s3/aws4_request',
  stamp: '20300101T000000Z',
  signature: 'ab'.repeat(32),
};
const BODY = Buffer.from(Array.from({ length: 40_000 }, (_, i) => (i * 31) % 251));
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** The chunks of a body, as a client sends them. The signer is independent of the service. */
function chunked(body: Buffer, { signed = true, size = 16_384, trailer = '' } = {}): Buffer {
  let last = SEED.signature;
  const sign = (kind: string, hashed: string): string => {
    last = createHmac('sha256', SEED.key)
      .update(`AWS4-HMAC-SHA256-${kind}\n${SEED.stamp}\n${SEED.scope}\n${last}\n${hashed}`)
      .digest('hex');
    return last;
  };
  const parts: Buffer[] = [];
  for (let at = 0; ; at += size) {
    const piece = body.subarray(at, at + size);
    const extension = signed ? `;chunk-signature=${sign('PAYLOAD', `${sha256('')}\n${sha256(piece)}`)}` : '';
    parts.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece);
    if (piece.length === 0) break;
    parts.push(Buffer.from('\r\n'));
  }
  if (trailer !== '') {
    parts.push(Buffer.from(`${trailer}\r\n`));
    if (signed) parts.push(Buffer.from(`x-amz-trailer-signature:${sign('TRAILER', sha256(`${trailer}\n`))}\r\n`));
  }
  return Buffer.concat([...parts, Buffer.from('\r\n')]);
}

const inBase64 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.toString('base64');
};
const ofPackage = async (sum: Crc32c | Crc64Nvme) => {
  sum.update(BODY);
  return Buffer.from(await sum.digest()).toString('base64');
};
const CRC32 = inBase64(crc32(BODY));

const received: { body?: Buffer; code?: string }[] = [];
const server = createServer((req: IncomingMessage, res) => {
  void outcomeOf(req).then((outcome) => {
    received.push(outcome);
    res.end();
  });
});
let isCollected = false;
async function outcomeOf(req: IncomingMessage): Promise<{ body?: Buffer; code?: string }> {
  const pieces: Buffer[] = [];
  try {
    const request = new S3Request(req, 's3.test');
    const form = readForm(request, request.header('x-amz-content-sha256') ?? '');
    const framing = new Framing(form, SEED);
    if (isCollected) return { body: await wholeBody(req, form.size, {}, framing) };
    const payload = new Payload(framing).from(req);
    payload.on('data', (piece: Buffer) => pieces.push(piece));
    await new Promise((resolve, reject) => payload.once('end', resolve).once('error', reject));
    return { body: Buffer.concat(pieces) };
  } catch (error) {
    const { s3 } = (error as { members?: { s3?: { code: string } } }).members ?? {};
    return { code: s3?.code ?? codeOf(error) ?? String(error), body: Buffer.concat(pieces) };
  }
}

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

/** Sends a body twice, in pieces that end where it hurts: to be read as a stream and to be collected. @returns what the service took. */
async function send(...sent: Parameters<typeof sendOnce>) {
  isCollected = true;
  const collected = await sendOnce(...sent);
  isCollected = false;
  const streamed = await sendOnce(...sent);
  expect([collected.code === undefined, collected.body?.length === BODY.length]).toEqual([
    streamed.code === undefined,
    streamed.body?.length === BODY.length,
  ]);
  if (collected.code === undefined) expect(collected.body).toEqual(streamed.body);
  else if (sent[3] !== false) expect(collected.code).toBe(streamed.code);
  return streamed;
}

async function sendOnce(headers: Readonly<Record<string, string>>, body: Buffer, piece = body.length, whole = true) {
  received.length = 0;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const given = { host: 's3.test', 'content-length': String(whole ? body.length : body.length + 1), ...headers };
  const head = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`PUT /bucket/key HTTP/1.1\r\n${head.join('')}\r\n`);
  for (let at = 0; at < body.length; at += piece) {
    socket.write(body.subarray(at, at + piece));
    if (piece < body.length) await new Promise((resolve) => setImmediate(resolve));
  }
  if (!whole) socket.end();
  while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  socket.destroy();
  return received[0]!;
}

const SIGNED = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const decoded = { 'x-amz-decoded-content-length': String(BODY.length) };

type Sent = readonly [headers: Readonly<Record<string, string>>, body: Buffer];
type Case = readonly [name: string, make: () => Promise<Sent>];

describe('a body that is what the request says of it', () => {
  it.each<Case>([
    ['hashed', async () => [{ 'x-amz-content-sha256': sha256(BODY) }, BODY]],
    ['not hashed', async () => [{ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }, BODY]],
    ['in signed chunks', async () => [{ ...decoded, 'x-amz-content-sha256': SIGNED }, chunked(BODY)]],
    [
      'in signed chunks with a trailer',
      async () => [
        { ...decoded, 'x-amz-content-sha256': `${SIGNED}-TRAILER`, 'x-amz-trailer': 'x-amz-checksum-crc32' },
        chunked(BODY, { trailer: `x-amz-checksum-crc32:${CRC32}` }),
      ],
    ],
    ...(
      [
        ['crc32', async () => CRC32],
        ['crc32c', () => ofPackage(new Crc32c())],
        ['crc64nvme', () => ofPackage(new Crc64Nvme())],
        ['sha1', async () => createHash('sha1').update(BODY).digest('base64')],
        ['sha256', async () => createHash('sha256').update(BODY).digest('base64')],
      ] as const
    ).flatMap(([name, sum]): readonly Case[] => [
      [
        `in chunks with ${name} in the trailer`,
        async () => [
          {
            ...decoded,
            'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
            'x-amz-trailer': `x-amz-checksum-${name}`,
          },
          chunked(BODY, { signed: false, size: 7_001, trailer: `x-amz-checksum-${name}:${await sum()}` }),
        ],
      ],
      [
        `with ${name} in a header`,
        async () => [{ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', [`x-amz-checksum-${name}`]: await sum() }, BODY],
      ],
    ]),
    [
      'with its MD5',
      async () => [
        {
          'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
          'content-md5': createHash('md5').update(BODY).digest('base64'),
        },
        BODY,
      ],
    ],
    ['empty', async () => [{ 'x-amz-content-sha256': sha256('') }, Buffer.alloc(0)]],
  ])('arrives: %s', async (_name, make) => {
    const [headers, body] = await make();
    const expected = body.length === 0 ? body : BODY;
    for (const piece of [body.length || 1, 4_093, 997]) {
      const { code, body: taken } = await send(headers, body, piece);
      expect([code, taken?.equals(expected)]).toEqual([undefined, true]);
    }
  });
});

describe('a body that is not what the request says of it', () => {
  const signed = { ...decoded, 'x-amz-content-sha256': SIGNED };
  const unsigned = {
    ...decoded,
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-trailer': 'x-amz-checksum-crc32',
  };
  const signedTrailer = {
    ...unsigned,
    'x-amz-content-sha256': `${SIGNED}-TRAILER`,
  };
  const inChunks = chunked(BODY);
  const withSignedTrailer = chunked(BODY, { trailer: `x-amz-checksum-crc32:${CRC32}` });
  const withTrailer = chunked(BODY, { signed: false, trailer: `x-amz-checksum-crc32:${CRC32}` });
  const other = Buffer.concat([BODY.subarray(0, -1), Buffer.from([9])]);
  it.each<readonly [string, string, Readonly<Record<string, string>>, Buffer]>([
    ['another hash', 'XAmzContentSHA256Mismatch', { 'x-amz-content-sha256': sha256(other) }, BODY],
    [
      'another MD5',
      'BadDigest',
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-md5': 'A'.repeat(22) + '==' },
      BODY,
    ],
    ['no MD5', 'InvalidDigest', { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-md5': 'x' }, BODY],
    [
      'another checksum in a header',
      'BadDigest',
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-checksum-crc32': inBase64(1) },
      BODY,
    ],
    [
      'two checksums',
      'InvalidRequest',
      {
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        'x-amz-checksum-crc32': CRC32,
        'x-amz-checksum-sha1': createHash('sha1').update(BODY).digest('base64'),
      },
      BODY,
    ],
    [
      'another checksum than it names',
      'InvalidRequest',
      {
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        'x-amz-checksum-crc32': CRC32,
        'x-amz-sdk-checksum-algorithm': 'SHA1',
      },
      BODY,
    ],
    [
      'an unknown checksum',
      'InvalidRequest',
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-checksum-md4': CRC32 },
      BODY,
    ],
    [
      'an unknown form',
      'NotImplemented',
      { ...decoded, 'x-amz-content-sha256': 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' },
      BODY,
    ],
    [
      'chunks of another length',
      'IncompleteBody',
      { ...signed, 'x-amz-decoded-content-length': String(BODY.length - 1) },
      inChunks,
    ],
    [
      'chunks of fewer bytes',
      'IncompleteBody',
      { ...signed, 'x-amz-decoded-content-length': String(BODY.length + 1) },
      inChunks,
    ],
    ['no decoded length', 'MissingContentLength', { 'x-amz-content-sha256': SIGNED }, inChunks],
    ['chunks that are not signed', 'IncompleteBody', signed, chunked(BODY, { signed: false })],
    ['small chunks that are signed', 'InvalidChunkSizeError', signed, chunked(BODY, { size: 1_000 })],
    [
      'a trailer that is not announced',
      'InvalidRequest',
      signed,
      chunked(BODY, { trailer: `x-amz-checksum-crc32:${CRC32}` }),
    ],
    ['no trailer', 'BadDigest', unsigned, chunked(BODY, { signed: false })],
    [
      'another checksum in the trailer',
      'BadDigest',
      unsigned,
      chunked(BODY, { signed: false, trailer: `x-amz-checksum-crc32:${inBase64(1)}` }),
    ],
    [
      'another checksum than it announces',
      'BadDigest',
      unsigned,
      chunked(BODY, { signed: false, trailer: `x-amz-checksum-sha1:${CRC32}` }),
    ],
    ['a line after its end', 'IncompleteBody', unsigned, Buffer.concat([withTrailer, Buffer.from('x\r\n')])],
    ['something after its end', 'IncompleteBody', unsigned, Buffer.concat([withTrailer, Buffer.from('x')])],
    ['something after its signed end', 'IncompleteBody', signed, Buffer.concat([inChunks, Buffer.from('x')])],
    [
      'a trailer without a signature',
      'SignatureDoesNotMatch',
      { ...unsigned, 'x-amz-content-sha256': `${SIGNED}-TRAILER` },
      Buffer.concat([inChunks.subarray(0, -2), Buffer.from(`x-amz-checksum-crc32:${CRC32}\r\n\r\n`)]),
    ],
  ])('has %s: %s, and its end is not passed on', async (_name, code, headers, body) => {
    const outcome = await send(headers, body);
    expect([outcome.code, (outcome.body ?? BODY).length < BODY.length]).toEqual([code, true]);
  });

  /** Bits of the whole, of its first line, and of the last chunk with its trailer. */
  const placesIn = (body: Buffer) => {
    const at = fc.oneof(
      fc.nat(body.length - 1),
      fc.nat(99),
      fc.nat(299).map((back) => body.length - 1 - back),
    );
    return fc.sample(fc.tuple(at, fc.nat(7)), { seed: 20_260_118, numRuns: 300 });
  };

  it('has a flipped bit, anywhere in its chunks', async () => {
    for (const [headers, body] of [
      [signed, inChunks],
      [signedTrailer, withSignedTrailer],
      [unsigned, withTrailer],
    ] as const)
      for (const [at, bit] of placesIn(body)) {
        const flipped = Buffer.from(body);
        flipped[at]! ^= 1 << bit;
        const outcome = await send(headers, flipped);
        // The letters of a hexadecimal number, and of the name of a trailer, may be small or capital; what is taken then is the same.
        const mayPass = flipped.toString('latin1').toLowerCase() === body.toString('latin1').toLowerCase();
        const isWhole = outcome.body!.length === BODY.length;
        expect([at, bit, isWhole]).toEqual([at, bit, outcome.code === undefined]);
        if (isWhole) expect([at, bit, mayPass, outcome.body!.equals(BODY)]).toEqual([at, bit, true, true]);
      }
  });

  it('breaks off, anywhere in its chunks', async () => {
    for (const [headers, body] of [
      [signed, inChunks],
      [signedTrailer, withSignedTrailer],
      [unsigned, withTrailer],
    ] as const)
      for (const end of new Set([...placesIn(body).map(([at]) => at), body.length - 1])) {
        const outcome = await send(headers, body.subarray(0, end), undefined, false);
        expect([end, outcome.code !== undefined, outcome.body!.length < BODY.length]).toEqual([end, true, true]);
      }
  });
});

describe('chunks of a byte each', () => {
  it('arrive whole', async () => {
    const body = Buffer.alloc(50_000, 1);
    const headers = {
      'x-amz-decoded-content-length': String(body.length),
      'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'x-amz-trailer': 'x-amz-checksum-crc32',
    };
    const sent = chunked(body, { signed: false, size: 1, trailer: `x-amz-checksum-crc32:${inBase64(crc32(body))}` });
    const { code, body: taken } = await send(headers, sent);
    expect([code, taken?.equals(body)]).toEqual([undefined, true]);
  });
});
