import { expect, it } from '@jest/globals';
import { changeProperties } from '../../src/storage/object-properties.ts';
import { replaceTags } from '../../src/storage/preserved-headers.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage, type Answer } from './told-storage.ts';

const storage = ToldStorage.forTests();
const TAGS = '<Tagging><TagSet><Tag><Key>team</Key><Value>a &amp; b</Value></Tag></TagSet></Tagging>';
const STORED = {
  'content-type': 'text/markdown',
  'cache-control': 'max-age=60',
  expires: 'Thu, 01 Jan 2032 00:00:00 GMT',
  'x-amz-storage-class': 'STANDARD_IA',
  // Each character is a byte, as storage keeps UTF-8.
  'x-amz-meta-owner': Buffer.from('Jörg').toString('latin1'),
};
const object = () => withoutPolicy({ provider: storage.provider, bucket: 'files', key: 'note.md' });
const writes = () => storage.asked.filter(({ method }) => method === 'PUT');

function holds({ tags = { body: TAGS }, size = 3 }: { readonly tags?: Answer; readonly size?: number } = {}): void {
  storage.answer = ({ method, query }) => {
    if (query.has('tagging')) return method === 'GET' ? tags : (tags.status ?? 200) === 200 ? {} : tags;
    if (method === 'PUT') return { body: '<CopyObjectResult><ETag>"s"</ETag></CopyObjectResult>' };
    return { headers: { ...STORED, etag: '"s"', 'content-length': String(size) } };
  };
}
const change = (changes: Partial<Parameters<typeof changeProperties>[1]> = {}, ifMatch = '"s"') =>
  changeProperties(object(), { metadata: new Map(), ...changes }, { ifMatch });

it('changeProperties changes what is named, and sets all else again', async () => {
  holds();
  await change({ contentType: 'text/plain', metadata: new Map([['new', '1']]) });
  const [copied, tagged] = writes();
  expect(copied!.headers).toMatchObject({
    ...STORED,
    'content-type': 'text/plain',
    'x-amz-meta-new': '1',
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-copy-source': 'files/note.md',
  });
  expect(tagged!.body).toContain('<Key>team</Key><Value>a &#38; b</Value>');
  storage.asked.splice(0);
  await change({ metadata: new Map([['owner', undefined]]) });
  expect(writes()[0]!.headers).toMatchObject({ 'content-type': 'text/markdown', 'cache-control': 'max-age=60' });
  expect(writes()[0]!.headers).not.toHaveProperty('x-amz-meta-owner');
});

it('changeProperties loses no change that is made at the same time', async () => {
  let there: Record<string, unknown> = { ...STORED };
  storage.answer = ({ method, query, headers }) => {
    if (query.has('tagging')) return { body: TAGS };
    if (method !== 'PUT')
      return { headers: { ...(there as Record<string, string>), etag: '"s"', 'content-length': '3' } };
    there = Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:x-amz-meta-|content-type)/.test(name)));
    return { body: '<CopyObjectResult><ETag>"s"</ETag></CopyObjectResult>' };
  };
  await Promise.all(['a', 'b', 'c'].map((name) => change({ metadata: new Map([[name, '1']]) })));
  expect(Object.keys(there)).toEqual(expect.arrayContaining(['x-amz-meta-a', 'x-amz-meta-b', 'x-amz-meta-c']));
});

it.each([
  ['another version', {}, {}, '"t"', 'precondition_failed'],
  ['more than 5 GiB', { size: 5 * 2 ** 30 + 1 }, {}, '"s"', 'payload_too_large'],
  ['more than 2 KiB of metadata', {}, { metadata: new Map([['new', 'x'.repeat(2_040)]]) }, '"s"', 'invalid_request'],
  ['tags that cannot be read', { tags: { status: 403 } }, {}, '"s"', 'storage_unavailable'],
] as const)('changeProperties refuses %s, and writes nothing', async (_what, held, changes, ifMatch, code) => {
  holds(held);
  await expect(change(changes, ifMatch)).rejects.toMatchObject({ code });
  expect(writes()).toEqual([]);
});

it('replaceTags writes the tags, deletes the last ones, also where storage keeps them, and says where it has none', async () => {
  holds();
  await replaceTags(object(), [{ key: 'a<b', value: '' }], {});
  expect(writes()[0]!.body).toContain('<TagSet><Tag><Key>a&#60;b</Key><Value></Value></Tag></TagSet>');
  await replaceTags(object(), [], {});
  expect(storage.asked.slice(-3).map(({ method }) => method)).toEqual(['DELETE', 'GET', 'PUT']);
  expect(writes()[1]!.body).toContain('<TagSet></TagSet>');
  holds({ tags: { status: 501, body: '<Error><Code>NotImplemented</Code></Error>' } });
  await expect(replaceTags(object(), [{ key: 'a', value: 'b' }], {})).rejects.toMatchObject({
    code: 'not_supported',
    detail: 'storage provider `test` has no tags; nothing was changed',
  });
  expect(writes()).toHaveLength(2);
});
