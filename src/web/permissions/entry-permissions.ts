import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ObjectList } from '../../wire/http.ts';
import { pagePermissionsQuery, permissionsQuery, type PermissionScope } from '../api/queries.ts';
import type { Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { putsSomewhereQuery } from './puts-somewhere.ts';
import { usePermissions, type Action, type Asking } from './use-permissions.ts';

/** The actions on the object of a row; undefined while they are not known. */
export type RowActions = (entry: Entry) => readonly Action[] | undefined;

/** Asks what the caller may do with the objects of a folder: one request for each page of its listing. */
export function useRowActions(place: Place, pages: readonly ObjectList[]): RowActions {
  const answers = useQueries({ queries: pages.map((page) => pagePermissionsQuery(place, page)) });
  const byPage = new Map(pages.map((page, index) => [page, answers[index]?.data]));
  return (entry) => (entry.kind === 'file' && entry.page !== undefined ? byPage.get(entry.page)?.[entry.key] : undefined);
}

export type EntryPermissions = Asking & {
  readonly mayAll: (entry: Entry, needs: readonly Action[]) => boolean;
  /** Whether there is a place, here or elsewhere, where something may be put. */
  readonly mayPutSomewhere: boolean;
};

/** So many rows of a selection are asked about one by one. Of further ones it is assumed what holds somewhere in the folder. */
const ASKED_ONE_BY_ONE = 40;

/** What the caller may do with each row of a selection. Folders are asked about one by one, by what their keys start with, and so are objects of which nothing is known yet. */
export function useEntryPermissions(place: Place, entries: readonly Entry[], rowActions: RowActions): EntryPermissions {
  const somewhere = usePermissions({ provider: place.provider, bucket: place.bucket, prefix: place.prefix });
  const unknown = entries.filter((entry) => rowActions(entry) === undefined).slice(0, ASKED_ONE_BY_ONE);
  const answers = useQueries({ queries: unknown.map((entry) => permissionsQuery(scopeOf(place, entry))) });
  const putsHere = somewhere.may('objects:write');
  const putsElsewhere = useQuery({ ...putsSomewhereQuery(useQueryClient()), enabled: entries.length > 0 && !somewhere.pending && somewhere.error === null && !putsHere });
  const asked = new Map(unknown.map(({ key }, index) => [key, answers[index]?.data?.actions]));
  return {
    mayAll: (entry, needs) => {
      const listed = rowActions(entry) ?? asked.get(entry.key);
      return needs.every((action) => listed?.includes(action) ?? (!asked.has(entry.key) && somewhere.may(action)));
    },
    mayPutSomewhere: putsHere || putsElsewhere.data === true,
    pending: somewhere.pending || putsElsewhere.isLoading || answers.some(({ isPending }) => isPending),
    error: somewhere.error ?? putsElsewhere.error ?? answers.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      if (somewhere.error !== null) somewhere.retry();
      if (putsElsewhere.error !== null) void putsElsewhere.refetch();
      for (const { error, refetch } of answers) if (error !== null) void refetch();
    },
  };
}

function scopeOf({ provider, bucket }: Place, { kind, key }: Entry): PermissionScope {
  return kind === 'file' ? { provider, bucket, key } : { provider, bucket, prefix: key };
}
