import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ObjectList } from '../../wire/http.ts';
import { pagePermissionsQuery, permissionsQuery, type PermissionScope } from '../api/queries.ts';
import type { Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { putsSomewhereQuery } from './puts-somewhere.ts';
import { usePermissions, type Action, type Asking } from './use-permissions.ts';

/** The allowed actions on the object of a row, or undefined while they are unknown. */
export type RowActions = (entry: Entry) => readonly Action[] | undefined;

/** Requests the permissions on the objects of a folder, with one request per page of its listing. */
export function useRowActions(place: Place, pages: readonly ObjectList[]): RowActions {
  const client = useQueryClient();
  const answers = useQueries({ queries: pages.map((page) => pagePermissionsQuery(client, place, page)) });
  const byPage = new Map(pages.map((page, index) => [page, answers[index]?.data]));
  return (entry) =>
    entry.kind === 'file' && entry.page !== undefined ? byPage.get(entry.page)?.[entry.key] : undefined;
}

export type EntryPermissions = Asking & {
  readonly mayAll: (entry: Entry, needs: readonly Action[]) => boolean;
  /** Whether the user may write objects in this folder or in any bucket. */
  readonly mayPutSomewhere: boolean;
};

/** The maximum number of rows with their own permission request. Other rows are assumed to allow the actions that are allowed anywhere in the folder. */
const ASKED_ONE_BY_ONE = 40;

/** The permissions on each row of a selection. It sends one request for each folder, and for each object whose permissions are not known yet. */
export function useEntryPermissions(place: Place, entries: readonly Entry[], rowActions: RowActions): EntryPermissions {
  const somewhere = usePermissions({ provider: place.provider, bucket: place.bucket, prefix: place.prefix });
  const unknown = entries.filter((entry) => rowActions(entry) === undefined).slice(0, ASKED_ONE_BY_ONE);
  const answers = useQueries({ queries: unknown.map((entry) => permissionsQuery(scopeOf(place, entry))) });
  const putsHere = somewhere.may('objects:write');
  const putsElsewhere = useQuery({
    ...putsSomewhereQuery(useQueryClient()),
    enabled: entries.length > 0 && !somewhere.pending && somewhere.error === null && !putsHere,
  });
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
