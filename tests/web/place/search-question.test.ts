import { expect, it } from '@jest/globals';
import { isAsked, queryOf, questionOf, searchFrom, searchLink } from '../../../src/web/place/search-question.ts';

const FROM = { provider: 'main', bucket: 'files', prefix: 'a b/ü&/' };
const ALL = {
  text: 'x y&z',
  reach: 'folder',
  from: FROM,
  kind: 'image',
  size: 'large',
  changed: 'week',
  tag: 'a=b&c',
} as const;
const read = (link: string) => questionOf(new URL(link, 'http://page').searchParams);

it('has the whole question in its link', () => {
  expect(read(searchLink(ALL))).toEqual(ALL);
  expect(read(searchFrom(undefined, 'x'))).toEqual({
    text: 'x',
    reach: 'everywhere',
    from: undefined,
    kind: undefined,
    size: undefined,
    changed: undefined,
    tag: '',
  });
  expect(read(searchFrom(FROM))).toMatchObject({ text: '', reach: 'folder', from: FROM });
});

it('searches the bucket where somebody was in no folder', () => {
  expect(read(searchFrom({ ...FROM, prefix: '' })).reach).toBe('bucket');
  expect(read('/search?in=folder').reach).toBe('everywhere');
});

it('asks the service in bytes and times', () => {
  const now = Date.parse('2026-01-08T00:00:00Z');
  expect(queryOf(ALL, now)).toEqual({
    q: 'x y&z',
    folders: 'true',
    kind: 'image',
    min_size: 100_000_000,
    after: '2026-01-01T00:00:00.000Z',
    tag: 'a=b&c',
  });
  expect(queryOf({ ...ALL, text: '', kind: undefined, size: 'small', changed: 'older', tag: '' }, now)).toEqual({
    max_size: 1_000_000,
    before: '2025-01-08T00:00:00.000Z',
  });
});

it('asks nothing before something is sought', () => {
  expect(['', '?kind=image', '?q=a', '?tag=a'].map((query) => isAsked(read(`/search${query}`)))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
