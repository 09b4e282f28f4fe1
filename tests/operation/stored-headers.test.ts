import { expect, it } from '@jest/globals';
import { storedHeadersOf } from '../../src/operation/stored-headers.ts';

it('headers that are stored with an object pass as they are', () => {
  const given = {
    'x-amz-meta-mtime': '1700000000.5',
    'x-amz-meta-name': Buffer.from('ü').toString('latin1'),
    'content-encoding': 'gzip',
    'x-amz-tagging': 'a=b',
    'x-amz-storage-class': 'COLD',
  };
  expect(storedHeadersOf(given)).toEqual(given);
  expect(storedHeadersOf(undefined)).toEqual({});
  expect(() => storedHeadersOf({ 'x-amz-meta-a': 'x'.repeat(2_047) })).not.toThrow();
});

it.each([
  ['stored.content-type', { 'content-type': 'text/css' }],
  ['stored.x-amz-acl', { 'x-amz-acl': 'public-read' }],
  ['stored.x-amz-copy-source', { 'x-amz-copy-source': '/b/k' }],
  ['stored.x-amz-meta-', { 'x-amz-meta-': 'x' }],
  ['stored.X-Amz-Meta-A', { 'X-Amz-Meta-A': 'x' }],
  ['stored.x-amz-meta-a\r\nb', { 'x-amz-meta-a\r\nb': 'x' }],
  ['stored.x-amz-meta-a', { 'x-amz-meta-a': 'x\r\nx-amz-acl: public-read' }],
  ['stored.x-amz-meta-a', { 'x-amz-meta-a': '漢' }],
  ['stored.content-encoding', { 'content-encoding': 'gzip, AWS-chunked' }],
  ['stored', { 'x-amz-meta-a': 'x'.repeat(1_024), 'x-amz-meta-b': 'x'.repeat(1_023) }],
])('is refused at %s: %j', (path, given) => {
  expect(() => storedHeadersOf(given as Readonly<Record<string, string>>)).toThrow(
    expect.objectContaining({ code: 'invalid_request', members: { errors: [expect.objectContaining({ path })] } }),
  );
});
