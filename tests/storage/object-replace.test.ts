import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { replaceContent } from '../../src/storage/object-replace.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';
import { ToldStorage, type Answer } from './told-storage.ts';

const storage = ToldStorage.forTests();
const TAGS = '<Tagging><TagSet><Tag><Key>team</Key><Value>a &amp; b</Value></Tag></TagSet></Tagging>';
const STORED = {
  'content-type': 'text/markdown; charset=utf-8',
  'cache-control': 'max-age=60',
  'content-language': 'de',
  expires: 'Thu, 01 Jan 2032 00:00:00 GMT',
  'x-amz-storage-class': 'STANDARD_IA',
  // Each character is a byte, as storage keeps UTF-8.
  'x-amz-meta-owner': Buffer.from('Jörg').toString('latin1'),
};

function holds(tags: Answer, etags: readonly string[] = ['"s"']): void {
  const heads = [...etags];
  storage.answer = ({ method, query }) => {
    if (query.has('tagging')) return tags;
    if (method === 'PUT') return { headers: { etag: '"n"' } };
    return { headers: { ...STORED, etag: heads.length > 1 ? heads.shift()! : heads[0]!, 'content-length': '3' } };
  };
}
const replace = (ifMatch: string) =>
  replaceContent(
    withoutPolicy({ provider: storage.provider, bucket: 'files', key: 'note.md' }),
    Readable.from([Buffer.from('new')]),
    { ifMatch, contentLength: 3 },
  );
const puts = () => storage.asked.filter(({ method }) => method === 'PUT');

it('replaceContent keeps the type, the headers, the metadata, the tags and the storage class', async () => {
  holds({ body: TAGS });
  expect(await replace('"s"')).toEqual({ etag: '"n"' });
  expect(puts()).toMatchObject([
    { body: 'new', headers: { ...STORED, 'x-amz-tagging': 'team=a%20%26%20b', 'if-match': 's' } },
  ]);
});

it('replaceContent refuses a version that came between what was read and the write', async () => {
  for (const [ifMatch, etags] of [
    ['"s"', ['"t"']],
    ['"s"', ['"t"', '"s"']],
    ['"s"', ['"s"', '"t"']],
    ['*', ['"s"', '"t"']],
  ] as const) {
    holds({ body: TAGS }, etags);
    await expect(replace(ifMatch)).rejects.toMatchObject({ code: 'precondition_failed' });
  }
  expect(puts()).toEqual([]);
});

it('replaceContent writes nothing when the tags cannot be read, and goes on where storage has none', async () => {
  holds({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
  await expect(replace('"s"')).rejects.toMatchObject({ detail: expect.stringContaining('would be lost') });
  expect(puts()).toEqual([]);
  holds({ status: 501, body: '<Error><Code>NotImplemented</Code></Error>' });
  await replace('"s"');
  expect(puts()[0]!.headers).not.toHaveProperty('x-amz-tagging');
});
