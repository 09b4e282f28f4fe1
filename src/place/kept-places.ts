/** A folder, or a bucket with an empty prefix. */
export type Place = { readonly provider: string; readonly bucket: string; readonly prefix: string };

/** The favourite places of a person, the oldest first, and the recently opened ones, the latest first. */
export type Kept = { readonly favourites: readonly Place[]; readonly recent: readonly Place[] };

/** What becomes of places: `favourite` and `plain` add and remove favourites, `opened` puts places at the front of the recent ones. */
export type Mark = 'favourite' | 'plain' | 'opened';

type Person = { readonly issuer: string; readonly subject: string };

/** The places of people in a state database. Every method throws `state_unavailable` when it fails. */
export interface PlaceStore {
  read(person: Person): Promise<Kept>;
  /** Marks places in one transaction, so that two devices lose nothing. @returns the places of the person. */
  mark(person: Person, mark: Mark, places: readonly Place[], at: number): Promise<Kept>;
}

export const MOST_FAVOURITES = 50;
export const MOST_RECENT = 20;
/** The maximum number of people whose places are kept. Those that have not changed for the longest time are removed first. */
export const MOST_PEOPLE = 10_000;

/** The places after a mark. When there are too many, the oldest go. */
export function marked({ favourites, recent }: Kept, mark: Mark, places: readonly Place[]): Kept {
  const added = places.filter((place, at) => !includes(places.slice(0, at), place));
  const without = (from: readonly Place[]) => from.filter((place) => !includes(added, place));
  switch (mark) {
    case 'favourite':
      return {
        favourites: [...favourites, ...added.filter((place) => !includes(favourites, place))].slice(-MOST_FAVOURITES),
        recent,
      };
    case 'plain':
      return { favourites: without(favourites), recent };
    case 'opened':
      return { favourites, recent: [...added, ...without(recent)].slice(0, MOST_RECENT) };
  }
}

/** The id of a person's row. */
export function rowId({ issuer, subject }: Person): string {
  return JSON.stringify([issuer, subject]);
}

/** The places in a row; nothing without one. */
export function keptOf(row: Readonly<Record<string, unknown>> | undefined): Kept {
  return row === undefined ? { favourites: [], recent: [] } : (JSON.parse(String(row['places'])) as Kept);
}

function includes(places: readonly Place[], { provider, bucket, prefix }: Place): boolean {
  return places.some((other) => other.provider === provider && other.bucket === bucket && other.prefix === prefix);
}
