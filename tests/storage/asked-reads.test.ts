import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { fetchPage, type PageRequest } from '../../src/storage/bucket-page.ts';
import { headersOf, storedEncoding } from '../../src/storage/object-headers.ts';
import { getObject, headObject, type ReadConditions } from '../../src/storage/object-read.ts';
import { ToldStorage, type Answer } from './told-storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const storage = ToldStorage.forTests();

const object = { bucket: 'files', key: 'k' };
const asksFor5 = { range: 'bytes=5-', ifRange: '"a"' };

describe('a read', () => {
  const sent = async (conditions: ReadConditions) => {
    storage.asked.splice(0);
    storage.answer = () => ({ body: 'x', headers: { 'content-length': '1' } });
    await text((await getObject(withoutPolicy({ provider: storage.provider, ...object }), conditions)).body!);
    const {
      range,
      'if-match': ifMatch,
      'if-none-match': ifNoneMatch,
      'if-modified-since': ifModifiedSince,
    } = storage.asked[0]!.headers;
    return { range, ifMatch, ifNoneMatch, ifModifiedSince };
  };
  const nothing = { range: undefined, ifMatch: undefined, ifNoneMatch: undefined, ifModifiedSince: undefined };

  it.each(['bytes=0-0', 'bytes=5-', 'bytes=-5', 'bytes=7-7'])('asks for the range %s', async (range) => {
    expect(await sent({ range })).toEqual({ ...nothing, range });
    // The range counts while the object is that one.
    expect(await sent({ range, ifRange: '"e"' })).toEqual({ ...nothing, range, ifMatch: '"e"' });
    expect(await sent({ range, ifRange: 'W/"e"' })).toEqual(nothing);
    expect(await sent({ range, ifRange: 'Wed, 01 Jan 2031 00:00:00 GMT' })).toEqual(nothing);
  });

  it.each([
    'bytes=-',
    'bytes=8-7',
    'bytes=0-1,3-4',
    'bytes=x-',
    ' bytes=0-1',
    'items=0-1',
    'bytes=0-1 ',
    'bytes=1234567890123456-',
  ])('leaves out %j, which is no single range', async (range) => {
    expect(await sent({ range })).toEqual(nothing);
  });

  it('asks for checksums only when somebody wants them, and gives those of a whole object', async () => {
    const headers = {
      'x-amz-checksum-crc32': 'AAAAAA==',
      'x-amz-checksum-type': 'FULL_OBJECT',
      'x-amz-version-id': 'v',
      expires: 'Wed, 01 Jan 2031 00:00:00 GMT',
      'x-amz-storage-class': 'COLD',
      'x-amz-tagging-count': '2',
      'x-amz-meta-a': 'b',
    };
    const given = async (conditions: ReadConditions) => {
      storage.asked.splice(0);
      storage.answer = ({ headers: { range } }) => ({
        status: range === undefined ? 200 : 206,
        body: 'x',
        headers: { ...headers, 'content-length': '1', ...(range !== undefined && { 'content-range': 'bytes 0-0/2' }) },
      });
      const place = withoutPolicy({ provider: storage.provider, ...object });
      const read = await getObject(place, conditions);
      await text(read.body!);
      const names = Object.keys(headers).filter((name) => name in read.headers);
      if (conditions.range === undefined) expect((await headObject(place, conditions)).headers).toEqual(read.headers);
      return [storage.asked[0]!.headers['x-amz-checksum-mode'], names];
    };
    const checksums = ['x-amz-checksum-crc32', 'x-amz-checksum-type'];
    const stored = ['expires', 'x-amz-storage-class', 'x-amz-tagging-count'];
    const always = ['x-amz-storage-class', 'x-amz-meta-a'];
    expect(await given({})).toEqual([undefined, always]);
    expect(await given({ stored: true })).toEqual([undefined, [...stored, 'x-amz-meta-a']]);
    expect(await given({ checksums: true })).toEqual(['ENABLED', [...checksums, ...always]]);
    expect(await given({ checksums: true, range: 'bytes=0-0' })).toEqual(['ENABLED', always]);
  });

  it('asks for the whole where the object is another one than the range was meant for', async () => {
    storage.answer = ({ headers }) =>
      headers['if-match'] === undefined
        ? { body: 'whole' }
        : { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' };
    const { status, body } = await getObject(withoutPolicy({ provider: storage.provider, ...object }), {
      range: 'bytes=1-',
      ifRange: '"e"',
    });
    expect([status, await text(body!)]).toEqual([200, 'whole']);
    await expect(
      getObject(withoutPolicy({ provider: storage.provider, ...object }), { ifMatch: '"e"' }),
    ).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  const part = (range: string, body = '56789') => ({
    status: 206,
    body,
    headers: { etag: '"a"', 'content-length': String(body.length), ...(range !== '' && { 'content-range': range }) },
  });
  it.each<[string, ReadConditions, () => Answer]>([
    [
      'a part of another version',
      asksFor5,
      () => ({ ...part('bytes 5-9/10'), headers: { etag: '"b"', 'content-range': 'bytes 5-9/10' } }),
    ],
    ['a part to whoever asks for no range', {}, () => part('bytes 5-9/10')],
    ['a part that begins elsewhere', asksFor5, () => part('bytes 0-4/10')],
    ['a part that does not say where it lies', asksFor5, () => part('')],
    [
      'a part without its length',
      asksFor5,
      () => ({
        ...part('bytes 5-9/10'),
        headers: { etag: '"a"', 'content-range': 'bytes 5-9/10', 'transfer-encoding': 'chunked' },
      }),
    ],
    ['fewer bytes than the part says', asksFor5, () => part('bytes 5-9/10', '567')],
    ['nothing', asksFor5, () => ({ status: 204, headers: { etag: '"a"' } })],
    ['the whole for its end', { range: 'bytes=-5' }, () => part('bytes 0-9/10', '0123456789')],
    ['the start for the end', { range: 'bytes=-5' }, () => part('bytes 0-4/10')],
    ['less than the end', { range: 'bytes=-5' }, () => part('bytes 6-9/10', '6789')],
    ['more than the asked part', { range: 'bytes=5-6' }, () => part('bytes 5-9/10')],
    ['less than the asked part', { range: 'bytes=5-9' }, () => part('bytes 5-7/10', '567')],
    ['less than the rest', { range: 'bytes=5-' }, () => part('bytes 5-7/10', '567')],
    ['bytes beyond the size', { range: 'bytes=5-' }, () => part('bytes 5-9/7')],
    ['more of an object of any size than asked', { range: 'bytes=5-6' }, () => part('bytes 5-9/*')],
    ['a part that ends before it begins', { range: 'bytes=5-9' }, () => part('bytes 5-4/10', '')],
    ['more than the end of an object of any size', { range: 'bytes=-4' }, () => part('bytes 5-9/*')],
  ])('gives no client %s', async (_what, conditions, answer) => {
    storage.answer = answer;
    await expect(getObject(withoutPolicy({ provider: storage.provider, ...object }), conditions)).rejects.toMatchObject(
      {
        code: 'storage_unavailable',
      },
    );
  });

  it('says where a range lies only of a range', async () => {
    storage.answer = () => ({ ...part('bytes 5-9/10'), status: 200 });
    const at = withoutPolicy({ provider: storage.provider, ...object });
    for (const { headers } of [await getObject(at, { range: 'bytes=5-' }), await getObject(at), await headObject(at)])
      expect(headers).not.toHaveProperty('content-range');
  });

  it.each(['bytes=5-', 'bytes=005-9', 'bytes=5-100', 'bytes=-5'])('takes the part for %s', async (range) => {
    storage.answer = () => part('bytes 5-9/10');
    const read = await getObject(withoutPolicy({ provider: storage.provider, ...object }), { range });
    expect([read.status, await text(read.body!)]).toEqual([206, '56789']);
  });

  it('takes the whole for an end that is longer, and an end of an object whose size is not said', async () => {
    for (const [range, sent] of [
      ['bytes=-7', 'bytes 0-4/5'],
      ['bytes=-5', 'bytes 5-9/*'],
    ] as const) {
      storage.answer = () => part(sent);
      const read = await getObject(withoutPolicy({ provider: storage.provider, ...object }), { range });
      expect([read.status, await text(read.body!)]).toEqual([206, '56789']);
    }
  });

  it.each(['bytes=-0', 'bytes=-000'])('gives nobody the object for no bytes of it (%s)', async (range) => {
    const read = (conditions: ReadConditions) =>
      getObject(withoutPolicy({ provider: storage.provider, ...object }), { range, ...conditions });
    const whole = { status: 200, body: '56789', headers: { etag: '"a"' } };
    for (const answer of [whole, part('bytes 0-4/5')]) {
      storage.answer = ({ headers }) => (headers.range === undefined ? whole : answer);
      await expect(read({})).rejects.toMatchObject({ code: 'range_not_satisfiable' });
      await expect(read({ ifRange: '"a"' })).rejects.toMatchObject({ code: 'range_not_satisfiable' });
      await expect(read({ ifMatch: '"b"' })).rejects.toMatchObject({ code: 'precondition_failed' });
    }
    storage.answer = () => whole;
    // The range is not for this version.
    expect(await text((await read({ ifRange: '"b"' })).body!)).toBe('56789');
  });

  it('of the headers alone takes no part for the whole', async () => {
    storage.answer = () => part('bytes 5-9/10', '');
    await expect(headObject(withoutPolicy({ provider: storage.provider, ...object }))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  it('passes on the one condition that counts, and no date that is none', async () => {
    const since = 'Wed, 01 Jan 2025 00:00:00 GMT';
    expect(await sent({ ifNoneMatch: '"e"', ifModifiedSince: since })).toEqual({ ...nothing, ifNoneMatch: '"e"' });
    expect(await sent({ ifModifiedSince: since })).toEqual({ ...nothing, ifModifiedSince: since });
    expect(await sent({ ifModifiedSince: 'yesterday' })).toEqual(nothing);
  });

  it('of what is unchanged says so, with what a cache needs', async () => {
    storage.answer = () => ({ status: 304, headers: { etag: '"e"', 'cache-control': 'no-cache', 'x-amz-other': 'x' } });
    const unchanged = { status: 304, headers: { etag: '"e"', 'cache-control': 'no-cache' } };
    expect(await getObject(withoutPolicy({ provider: storage.provider, ...object }), { ifNoneMatch: '"e"' })).toEqual({
      ...unchanged,
      body: undefined,
    });
    expect(await headObject(withoutPolicy({ provider: storage.provider, ...object }), { ifNoneMatch: '"e"' })).toEqual(
      unchanged,
    );
  });
});

describe('the headers of an object', () => {
  it('are those that are named, and metadata that can be a header', () => {
    const answer = {
      etag: '"e"',
      'content-length': '0',
      'content-encoding': 'aws-chunked',
      'x-amz-request-id': 'x',
      'x-amz-meta-fine': 'a b',
      'x-amz-meta-broken': 'a\nb',
      'x-amz-meta-high': '\u0101',
    };
    expect(headersOf(200, answer)).toEqual({
      'content-type': 'application/octet-stream',
      'content-length': '0',
      etag: '"e"',
      'accept-ranges': 'bytes',
      'x-amz-meta-fine': 'a b',
    });
  });

  it.each([
    ['gzip', 'gzip'],
    ['aws-chunked, gzip', 'gzip'],
    ['gzip , br', 'gzip, br'],
    ['aws-chunked', undefined],
    ['', undefined],
  ])('say of the encoding `%s` that it is `%s`', (encoding, stored) => {
    expect(storedEncoding(encoding)).toBe(stored);
  });
});

describe('a page of a bucket', () => {
  const page = ({ prefix = 'a/', ...changes }: Partial<PageRequest> & { readonly prefix?: string } = {}) =>
    fetchPage({ provider: storage.provider, bucket: 'files', prefix }, { after: '', maxKeys: 10, ...changes });
  const list = (inner: string) => ({ body: `<ListBucketResult>${inner}</ListBucketResult>` });
  const key = (name: string) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`;
  const folder = (name: string) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`;

  it('asks for what is wanted and no more', async () => {
    storage.answer = () => list('');
    await page({ prefix: '' });
    await page({ after: 'a/k', delimiter: '/' });
    const asked = storage.asked.map(({ query }) =>
      ['prefix', 'delimiter', 'start-after', 'max-keys', 'encoding-type', 'continuation-token'].map((name) =>
        query.get(name),
      ),
    );
    expect(asked).toEqual([
      [null, null, null, '10', 'url', null],
      ['a/', '/', 'a/k', '10', 'url', null],
    ]);
  });

  it('is in byte order, without what lies outside of the prefix and what is no UTF-8', async () => {
    storage.answer = () =>
      list(
        `<EncodingType>url</EncodingType>${key('a/%F0%9F%98%80')}${key('a/%EF%BD%9E+%2B')}${key('a/%FF')}${key('b')}${folder('a/')}${folder('b/')}${folder('a/m/')}`,
      );
    expect(
      (await page()).entries.map(({ name, object }) => [object === undefined ? 'prefix' : 'object', name]),
    ).toEqual([
      ['prefix', 'a/m/'],
      ['object', 'a/\uff5e +'],
      ['object', 'a/😀'],
    ]);
  });

  it('has names as they are where storage does not encode them', async () => {
    storage.answer = () => list(key('a/100%25+'));
    expect((await page()).entries.map(({ name }) => name)).toEqual(['a/100%25+']);
  });

  it('goes on over empty pages, and gives up on storage that makes no headway', async () => {
    const more = (token: string, inner = '') =>
      list(`<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>${inner}`);
    storage.answer = ({ query }) =>
      query.get('continuation-token') === '2'
        ? more('3', key('a/k'))
        : more(query.has('continuation-token') ? '2' : '1');
    expect(await page()).toMatchObject({ entries: [{ name: 'a/k' }], truncated: true, readTo: 'a/k' });
    expect(storage.asked.map(({ query }) => query.get('continuation-token'))).toEqual([null, '1', '2']);

    storage.asked.splice(0);
    storage.answer = () => more('again');
    await expect(page()).rejects.toMatchObject({ code: 'storage_timeout' });
    expect(storage.asked).toHaveLength(20);

    storage.asked.splice(0);
    storage.answer = () => list(`<IsTruncated>true</IsTruncated>${key('a/b')}`);
    await expect(page({ after: 'a/b' })).rejects.toMatchObject({ code: 'storage_timeout' });
    expect(storage.asked).toHaveLength(1);
  });
});
