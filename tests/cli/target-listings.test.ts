import { expect, it, jest } from '@jest/globals';
import { TargetListings } from '../../src/cli/objects/target-listings.ts';
import { Connection } from '../../src/client/connection.ts';

const PAGE = 1000;
type Params = { readonly prefix: string; readonly delimiter?: '/'; readonly cursor?: string };

/** A bucket of these keys, which are listed in this order, and the listings that were asked for. */
function listings(keys: readonly string[]) {
  const asked: string[] = [];
  const connection = new Connection('http://127.0.0.1:1', undefined);
  jest.spyOn(connection, 'call').mockImplementation((async (_method: string, params: Params) => {
    const { prefix, delimiter, cursor = '0' } = params;
    asked.push(prefix);
    const all = keys.filter((key) => key.startsWith(prefix) && !(delimiter && key.slice(prefix.length).includes('/')));
    const end = Number(cursor) + PAGE;
    return {
      objects: all.slice(Number(cursor), end).map((key) => ({ key, size: 1, etag: key, lastModified: null })),
      prefixes: [],
      nextCursor: end < all.length ? String(end) : null,
    };
  }) as never);
  const target = new TargetListings(connection);
  const find = async (key: string) => (await target.find({ provider: 'main', bucket: 'files', key }))?.key;
  return { asked, find };
}
const numbered = (count: number, folder = 'f/') => Array.from({ length: count }, (_, i) => `${folder}${i}`);

it('asks for one object alone, and for the pages of a folder with several, at once too', async () => {
  const keys = numbered(1000);
  const { asked, find } = listings([...keys, 'f/deep/1', 'g']);
  expect(await find('f/0')).toBe('f/0');
  expect(asked).toEqual(['f/0']);
  expect(await Promise.all(keys.map(find))).toEqual(keys);
  expect(await find('f/none')).toBeUndefined();
  expect(asked).toEqual(['f/0', 'f/']);
});

it('asks for no object more than twice, in whatever order, and finds each', async () => {
  const keys = numbered(3500);
  const { asked, find } = listings(keys);
  for (const key of keys.toReversed()) expect(await find(key)).toBe(key);
  expect(asked.filter((prefix) => prefix === 'f/')).toHaveLength(4);
  expect(asked.length).toBeLessThan(10);
});

it('holds a few folders and the first pages of each, and asks for the rest one by one', async () => {
  const many = Array.from({ length: 20 }, (_, i) => numbered(2, `${i}/`)).flat();
  const wide = listings(many);
  for (const key of [...many, ...many]) expect(await wide.find(key)).toBe(key);
  const keys = numbered(51_000);
  const long = listings(keys);
  for (const key of keys.slice(-100)) expect(await long.find(key)).toBe(key);
  expect(long.asked.filter((prefix) => prefix === 'f/')).toHaveLength(50);
});
