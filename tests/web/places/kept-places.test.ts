import { expect, it } from '@jest/globals';
import { KeptPlaces, type Kept } from '../../../src/web/places/kept-places.ts';

const place = (prefix: string) => ({ provider: 'main', bucket: 'files', prefix });
const prefixes = (places: readonly { readonly prefix: string }[]) => places.map(({ prefix }) => prefix);

/** What a browser keeps, and a page that reads it. */
function browser(text?: string) {
  const kept = new Map<string, string>(text === undefined ? [] : [['svc.places', text]]);
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  return {
    open: (owner: string) => {
      const places = new KeptPlaces(() => store);
      places.readFor(owner);
      return places;
    },
  };
}

it('keeps the latest 20 folders, each once', () => {
  const { open } = browser();
  const places = open('ada');
  for (let i = 0; i < 25; i += 1) places.visit(place(`${i}/`));
  places.visit(place('15/'));
  const latest = Array.from({ length: 20 }, (_, at) => 24 - at).filter((at) => at !== 15);
  expect(prefixes(open('ada').view.getState().recent)).toEqual([15, ...latest].map((at) => `${at}/`));
});

it('keeps favourites in the order of marking, until they are marked again', () => {
  const { open } = browser();
  const places = open('ada');
  for (const prefix of ['b/', 'a/', 'c/', 'a/']) places.toggle(place(prefix));
  expect(prefixes(open('ada').view.getState().favourites)).toEqual(['b/', 'c/']);
});

it('shows nobody what another person has kept, and forgets who was here longest ago', () => {
  const { open } = browser();
  const first = open('first');
  first.visit(place('mine/'));
  expect(open('second').view.getState()).toEqual({ favourites: [], recent: [] });
  for (let i = 0; i < 20; i += 1) open(`other ${i}`).visit(place('x/'));
  expect(open('first').view.getState().recent).toEqual([]);
  expect(prefixes(open('other 0').view.getState().recent)).toEqual(['x/']);
});

it('keeps what another tab has added meanwhile', () => {
  const { open } = browser();
  const [one, other] = [open('ada'), open('ada')];
  one.toggle(place('one/'));
  other.toggle(place('other/'));
  expect(prefixes(open('ada').view.getState().favourites)).toEqual(['one/', 'other/']);
});

it.each(['', 'null', '{}', '[1]', '[["ada"]]', '[["ada",{"favourites":[{}],"recent":[]}]]'])(
  'begins with nothing where the browser keeps %j',
  (text) => {
    const places = browser(text).open('ada');
    places.visit(place('new/'));
    expect(prefixes(places.view.getState().recent)).toEqual(['new/']);
  },
);

it('shows what it could not keep as long as the page is open', () => {
  const places = new KeptPlaces(() => {
    throw new Error('the browser refuses');
  });
  places.readFor('ada');
  places.visit(place('a/'));
  places.toggle(place('b/'));
  expect(places.view.getState()).toEqual({ recent: [place('a/')], favourites: [place('b/')] });
});

/** A service that keeps the places of one person, and answers when `answered` is called. */
function service(kept: Kept) {
  const asked: string[] = [];
  return {
    asked,
    list: async () => (asked.push('list'), kept),
    mark: async (mark: string, places: readonly { readonly prefix: string }[]) => (
      asked.push(`${mark} ${prefixes(places).join()}`),
      kept
    ),
  };
}
const answered = () => new Promise((resolve) => setImmediate(resolve));

it('gives a service what the browser has kept, once, and keeps nothing in the browser from then on', async () => {
  const { open } = browser();
  const before = open('ada');
  before.visit(place('a/'));
  before.visit(place('b/'));
  before.toggle(place('c/'));
  const kept = { favourites: [place('c/')], recent: [place('b/'), place('a/')] };
  const keeper = service(kept);
  const places = open('nobody');
  places.readFor('ada', keeper);
  await answered();
  places.readFor('ada', keeper);
  places.visit(place('d/'));
  places.visit(place('d/'));
  await answered();
  expect(keeper.asked).toEqual(['opened b/,a/', 'favourite c/', 'list', 'list', 'opened d/']);
  expect(places.view.getState()).toEqual(kept);
  expect(open('ada').view.getState()).toEqual({ favourites: [], recent: [] });
});

it('shows a mark at once, and keeps what a service has not taken', async () => {
  const { open } = browser();
  open('ada').toggle(place('a/'));
  const places = open('nobody');
  const fails = () => Promise.reject(new Error('no connection'));
  places.readFor('ada', { list: fails, mark: fails });
  places.toggle(place('b/'));
  await answered();
  expect(prefixes(places.view.getState().favourites)).toEqual(['a/', 'b/']);
  expect(prefixes(open('ada').view.getState().favourites)).toEqual(['a/']);
});
