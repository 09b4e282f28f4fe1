import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlaceStore } from '../../src/place/kept-places.ts';

/** `here` and `elsewhere` are two processes on one database, which keeps the places of at most two people. */
export type OpenPlaces = {
  readonly here: PlaceStore;
  readonly elsewhere: PlaceStore;
  readonly close: () => Promise<void>;
};

const person = (subject: string) => ({ issuer: 'https://id.example', subject });
const place = (prefix: string) => ({ provider: 'main', bucket: 'files', prefix });
const places = (count: number) => Array.from({ length: count }, (_, at) => place(`${at}/`));
const NOTHING = { favourites: [], recent: [] };

/** What every store of places does. */
export function placesContract(name: string, open: () => Promise<OpenPlaces>): void {
  describe(name, () => {
    let stores: OpenPlaces;
    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores.close());

    it('keeps favourites in the order of marking, each once, until they are plain', async () => {
      const { here, elsewhere } = stores;
      await here.mark(person('ada'), 'favourite', [place('b/'), place('a/'), place('b/')], 1);
      await elsewhere.mark(person('ada'), 'favourite', [place('c/'), place('a/')], 2);
      await here.mark(person('ada'), 'plain', [place('b/')], 3);
      expect(await elsewhere.read(person('ada'))).toEqual({ favourites: [place('a/'), place('c/')], recent: [] });
      expect(await here.read(person('bob'))).toEqual(NOTHING);
      expect(await here.read({ ...person('ada'), issuer: 'https://other.example' })).toEqual(NOTHING);
    });

    it('has the latest opened place first, and at most 20 of them and 50 favourites', async () => {
      const { here } = stores;
      await here.mark(person('ada'), 'opened', places(25), 1);
      const { recent } = await here.mark(person('ada'), 'opened', [place('3/')], 2);
      expect(recent.slice(0, 5)).toEqual(['3/', '0/', '1/', '2/', '4/'].map(place));
      expect(recent).toHaveLength(20);
      await here.mark(person('ada'), 'favourite', places(50), 3);
      const { favourites } = await here.mark(person('ada'), 'favourite', [place('new/')], 4);
      expect(favourites).toEqual([...places(50).slice(1), place('new/')]);
    });

    it('loses nothing that two processes mark at once', async () => {
      const { here, elsewhere } = stores;
      await Promise.all(
        places(20).map((each, at) => (at % 2 === 0 ? here : elsewhere).mark(person('ada'), 'favourite', [each], at)),
      );
      const { favourites } = await here.read(person('ada'));
      expect(favourites.map(({ prefix }) => prefix).sort()).toEqual(
        places(20)
          .map(({ prefix }) => prefix)
          .sort(),
      );
    });

    it('forgets the people whose places have not changed for the longest time', async () => {
      const { here } = stores;
      const mark = (subject: string, at: number) => here.mark(person(subject), 'opened', [place('a/')], at);
      await mark('ada', 1);
      await mark('bob', 2);
      await mark('ada', 3);
      await mark('eve', 4);
      expect(await here.read(person('bob'))).toEqual(NOTHING);
      for (const subject of ['ada', 'eve'])
        expect(await here.read(person(subject))).toEqual({ favourites: [], recent: [place('a/')] });
    });

    it.each(['\0', '\ud800', '"\\', 'ü'])('keeps the prefix %j as it is', async (prefix) => {
      await stores.here.mark(person('ada'), 'opened', [place(prefix)], 1);
      expect((await stores.elsewhere.read(person('ada'))).recent).toEqual([place(prefix)]);
    });
  });
}
