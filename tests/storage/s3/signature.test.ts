import { createHash, createHmac, type BinaryLike } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { pathOf, queryOf, UNSIGNED_PAYLOAD } from '../../../src/sigv4/sigv4.ts';
import { Signer, type Credentials, type Signable } from '../../../src/storage/s3/signature.ts';

/** The hash that the AWS SDK for JavaScript is given, made of Node's. */
class Sha256 {
  readonly #hash: { update(data: BinaryLike): unknown; digest(): Buffer };
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as BinaryLike);
  }
  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error('not needed');
  }
}

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.constantFrom('', '/', '//', 'a/./b', "!'()*", 'a b+c', '%2F', 'ä/€/😀', '~-_.'),
);
const ascii = fc
  .string({ unit: fc.constantFrom(...' aZ0-_=;,:"/'.split('')), minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '');
const names = fc.constantFrom(
  'content-type',
  'content-length',
  'range',
  'if-match',
  'x-amz-meta-a',
  'x-amz-meta-b',
  'x-amz-copy-source',
  'content-md5',
);
const request = fc.record({
  method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD'),
  host: fc.constantFrom('s3.example.com', 'bucket.s3.eu-central-1.amazonaws.com', '127.0.0.1:9000', '[::1]:9000'),
  base: fc.constantFrom('/', '/bucket/', '/behind/a/path/bucket/'),
  key: texts,
  query: fc.dictionary(
    texts.filter((name) => name !== '' && name !== '__proto__'),
    texts,
    { maxKeys: 4 },
  ),
  headers: fc.dictionary(names, ascii, { maxKeys: 4 }),
  payload: fc.constantFrom(UNSIGNED_PAYLOAD, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
});
const credentials = fc.record({
  accessKeyId: fc.stringMatching(/^[A-Z0-9]{4,20}$/),
  secretAccessKey: fc.stringMatching(/^[\w+/]{8,40}$/),
  sessionToken: fc.option(fc.stringMatching(/^[\w+/=]{8,80}$/), { nil: undefined }),
});
const regions = fc.constantFrom('us-east-1', 'eu-central-1', 'garage', 'default');
const times = fc.date({ min: new Date('2015-01-01'), max: new Date('2099-01-01'), noInvalidDate: true });

function sdkSigner(region: string, { accessKeyId, secretAccessKey, sessionToken }: Credentials): SignatureV4 {
  return new SignatureV4({
    service: 's3',
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    uriEscapePath: false,
  });
}

function sdkRequest({ method, host, path }: Signable, query: Record<string, string>, headers: Record<string, string>) {
  return { method, protocol: 'https:', hostname: host, path, query, headers: { host, ...headers } };
}

const isEncodable = (text: string): boolean => text.isWellFormed();

describe('Signer', () => {
  it('signs any request as the AWS SDK does', async () => {
    await fc.assert(
      fc.asyncProperty(
        request,
        credentials,
        regions,
        times,
        async ({ method, host, base, key, query, headers, payload }, who, region, time) => {
          fc.pre([key, ...Object.entries(query).flat()].every(isEncodable));
          const signable = { method, host, path: base + pathOf(key), query: queryOf(Object.entries(query)) };
          const ours: Record<string, string> = { ...headers };
          new Signer(region).sign(signable, ours, payload, who, time.getTime());
          const theirs = await sdkSigner(region, who).sign(
            sdkRequest(signable, query, { ...headers, 'x-amz-content-sha256': payload }),
            { signingDate: time },
          );
          expect(ours).toEqual(theirs.headers);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('signs any link as the AWS SDK does', async () => {
    await fc.assert(
      fc.asyncProperty(
        request,
        credentials,
        regions,
        times,
        fc.integer({ min: 1, max: 604_800 }),
        async ({ method, host, base, key }, who, region, time, expiresIn) => {
          fc.pre(isEncodable(key));
          const signable = { method, host, path: base + pathOf(key), query: '' };
          const ours = new URLSearchParams(new Signer(region).signQuery(signable, { expiresIn }, who, time.getTime()));
          const theirs = await sdkSigner(region, who).presign(
            sdkRequest(signable, {}, { 'x-amz-content-sha256': UNSIGNED_PAYLOAD }),
            {
              signingDate: time,
              expiresIn,
              unhoistableHeaders: new Set(['x-amz-content-sha256']),
              unsignableHeaders: new Set(['x-amz-content-sha256']),
            },
          );
          expect(Object.fromEntries(ours)).toEqual(theirs.query);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('takes no byte of UTF-8 for a blank', () => {
    // In Latin-1, as headers are sent, the second byte of `à` and of `Р` is a no-break space.
    const signed = (value: string): string => {
      const headers: Record<string, string> = { 'x-amz-meta-a': value };
      new Signer('r').sign(
        { method: 'PUT', host: 'h', path: '/', query: '' },
        headers,
        UNSIGNED_PAYLOAD,
        { accessKeyId: 'a', secretAccessKey: 'b' },
        0,
      );
      return headers['authorization']!;
    };
    for (const text of ['à', 'là-bas', 'Р']) {
      const sent = Buffer.from(text).toString('latin1');
      expect(signed(sent)).not.toBe(signed(sent.replaceAll('\xa0', ' ').trim()));
    }
    expect(signed('  a \t b ')).toBe(signed('a b'));
  });

  it('derives a new key when the day, the secret or the token changes', async () => {
    const signer = new Signer('eu-central-1');
    const signable = { method: 'GET', host: 'h', path: '/b/k', query: '' };
    for (const [time, who] of [
      ['2026-01-01T23:59:59Z', { accessKeyId: 'A', secretAccessKey: 's1' }],
      ['2026-01-02T00:00:00Z', { accessKeyId: 'A', secretAccessKey: 's1' }],
      ['2026-01-02T00:00:00Z', { accessKeyId: 'B', secretAccessKey: 's2', sessionToken: 't' }],
    ] as const) {
      const ours: Record<string, string> = {};
      signer.sign(signable, ours, UNSIGNED_PAYLOAD, who, Date.parse(time));
      const theirs = await sdkSigner('eu-central-1', who).sign(
        sdkRequest(signable, {}, { 'x-amz-content-sha256': UNSIGNED_PAYLOAD }),
        { signingDate: new Date(time) },
      );
      expect(ours).toEqual(theirs.headers);
    }
  });
});
