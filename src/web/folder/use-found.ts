import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { ObjectList } from '../../wire/http.ts';
import { pagePermissionsQuery } from '../api/queries.ts';
import type { Found } from '../api/search-run.ts';
import type { Selection } from '../actions/action.ts';
import { foundEntry, idOf, type Entry } from '../objects/entry.ts';
import { gone } from '../objects/gone.ts';
import type { RowActions } from '../permissions/entry-permissions.ts';
import { folderOf, type Place } from '../place/place.ts';

/** The number of objects whose permissions are asked together. */
const ASKED_TOGETHER = 200;

const made = new WeakMap<Found, Entry>();

/** The rows of search results, without those that were deleted or moved away since. */
export function useFound(found: readonly Found[]): readonly Entry[] {
  const left = useStore(gone);
  return useMemo(() => found.map(rowOf).filter((row) => !left.has(idOf(row))), [found, left]);
}

function rowOf(found: Found): Entry {
  const { provider, bucket, key, object } = found;
  const row = made.get(found) ?? foundEntry({ provider, bucket }, key, object);
  made.set(found, row);
  return row;
}

type Asked = { readonly place: Place; readonly page: ObjectList };

/** The permissions on the objects that a search found. While it runs, the last objects of each bucket are not asked about, because more will come. */
export function useFoundActions(found: readonly Found[], isRunning: boolean): RowActions {
  const asked = useMemo(() => askedAbout(found, isRunning), [found, isRunning]);
  const client = useQueryClient();
  const answers = useQueries({ queries: asked.map(({ place, page }) => pagePermissionsQuery(client, place, page)) });
  const byBucket = new Map<string, (typeof answers)[number]['data'][]>();
  for (const [index, { place }] of asked.entries()) {
    const bucket = bucketId(place);
    byBucket.set(bucket, [...(byBucket.get(bucket) ?? []), answers[index]?.data]);
  }
  return ({ kind, key, place }) =>
    kind === 'file' && place !== undefined
      ? byBucket.get(bucketId(place))?.find((answer) => answer !== undefined && Object.hasOwn(answer, key))?.[key]
      : undefined;
}

/** The pages by their first object, so that the same objects are asked about once. */
const pages = new WeakMap<object, ObjectList>();

function askedAbout(found: readonly Found[], isRunning: boolean): Asked[] {
  const buckets = Map.groupBy(
    found.filter(({ object }) => object !== undefined),
    bucketId,
  );
  return [...buckets.values()].flatMap((those) => {
    const { provider, bucket } = those[0]!;
    const objects = those.flatMap(({ object }) => object ?? []);
    const asked: Asked[] = [];
    for (let start = 0; start < objects.length; start += ASKED_TOGETHER) {
      const some = objects.slice(start, start + ASKED_TOGETHER);
      if (some.length === ASKED_TOGETHER || !isRunning)
        asked.push({ place: { provider, bucket, prefix: '' }, page: pageOf(some) });
    }
    return asked;
  });
}

function pageOf(objects: ObjectList['objects']): ObjectList {
  const known = pages.get(objects[0]!);
  if (known?.objects.length === objects.length) return known;
  const page = { objects, prefixes: [], next_cursor: null };
  pages.set(objects[0]!, page);
  return page;
}

/** The selection of rows that a search found, or undefined if they are in several buckets. Its place is the folder around all of them. */
export function foundSelection(entries: readonly Entry[]): Selection | undefined {
  const [first] = entries;
  if (first?.place === undefined || byBuckets(entries).length > 1) return undefined;
  let { prefix } = first.place;
  for (const { place } of entries)
    while (!(place?.prefix ?? '').startsWith(prefix)) prefix = folderOf(prefix.slice(0, -1));
  return { place: { ...first.place, prefix }, entries };
}

/** The rows of each bucket. */
export function byBuckets(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  return [...Map.groupBy(entries, ({ place }) => place && bucketId(place)).values()];
}

function bucketId({ provider, bucket }: Omit<Place, 'prefix'>): string {
  return `${provider}/${bucket}`;
}
