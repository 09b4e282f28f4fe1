import { describe, expect, it } from '@jest/globals';
import { placeAt } from '../../../src/web/place/place.ts';

const ORIGIN = 'https://svc.example';
// The paths of the service are told by the document.
Object.assign(globalThis, { document: { baseURI: `${ORIGIN}/files/` }, window: { location: { origin: ORIGIN } } });
const { addressesOf } = await import('../../../src/web/palette/address.ts');

const BUCKETS = [
  { provider: 'main', bucket: 'photos' },
  { provider: 'other', bucket: 'photos' },
];

describe('an address that was pasted', () => {
  it.each([
    [
      's3://photos/2025/a b.jpg',
      ['/p/main/photos?prefix=2025%2F&object=2025%2Fa+b.jpg', '/p/other/photos?prefix=2025%2F&object=2025%2Fa+b.jpg'],
    ],
    ['main/photos/2025/', ['/p/main/photos?prefix=2025%2F']],
    [`${ORIGIN}/files/p/main/photos?prefix=2025%2F`, ['/p/main/photos?prefix=2025%2F']],
    ['s3://else/x', []],
    ['photos', []],
  ])('leads to its place: %s', (text, links) => {
    expect(addressesOf(text, BUCKETS).map(({ link }) => link)).toEqual(links);
  });

  it.each([
    '../api/auth/logout',
    './../api/auth/logout',
    'main/../../api/auth/logout',
    'main/./x',
    '..//api',
    '//elsewhere.example/p/main/photos',
    '/\\elsewhere.example/x',
    's3://../api/auth/logout',
    `${ORIGIN}/files/p/../api/auth/logout`,
    `${ORIGIN}/files/p/%2e%2e/api/auth/logout`,
    `${ORIGIN}/api/auth/logout`,
    'https://elsewhere.example/files/p/main/photos',
    'https://user@elsewhere.example/files/p/main/photos',
  ])('is none when it leads to no page of a place: %j', (text) => {
    expect(addressesOf(text, BUCKETS)).toEqual([]);
  });

  it.each([
    'javascript:alert(1)//x',
    'javascript:x/y',
    'data:text/html,x/y',
    'main\ud800/photos',
    'main/pho\ud800tos',
    '%2e%2e/photos',
    'ma\\in/pho?t#os/x',
    `${ORIGIN}/files/p/main/photos?object=//elsewhere.example`,
  ])('is a page of a place whatever it holds: %j', (text) => {
    for (const { link } of addressesOf(text, BUCKETS)) {
      const { origin, pathname, search } = new URL(`/files${link}`, ORIGIN);
      expect(origin).toBe(ORIGIN);
      expect(placeAt(pathname.slice('/files'.length), search)).toBeDefined();
    }
  });
});

describe('a page', () => {
  it.each(['/p/main/%zz', '/p/%ff/photos', '/p/main', '/p/main/photos/x'])(
    'that is no folder is none: %s',
    (pathname) => {
      expect(placeAt(pathname, '')).toBeUndefined();
    },
  );
});
