import { useQuery } from '@tanstack/react-query';
import type { Permissions } from '../../wire/permission.ts';
import { permissionsQuery, type PermissionScope } from '../api/queries.ts';
import { folderOf, type Place } from '../place/place.ts';

export type Action = Permissions['actions'][number];

/** What has become of a question about permissions. */
export type Asking = {
  readonly pending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
};

export type Allowed = Asking & {
  /** Whether the service listed the action somewhere in the place. Nothing is evaluated here; while the answer is awaited nothing is allowed. */
  readonly may: (action: Action) => boolean;
};

/** What the caller may do in a folder: somewhere in it, and with a new object that is put into it. */
export type AllowedInFolder = Allowed & { readonly mayHere: (action: Action) => boolean };

/** What the caller may do somewhere in a place, as the service's permission endpoint lists it. */
export function usePermissions(scope: PermissionScope): Allowed {
  const { data, isPending, error, refetch } = useQuery(permissionsQuery(scope));
  const listed = new Set<Action>(data?.actions);
  return { may: (action) => listed.has(action), pending: isPending, error, retry: () => void refetch() };
}

/** What the caller may do in a folder. A prefix that is the beginning of names stands for the folder that these are in. */
export function useFolderPermissions({ provider, bucket, prefix }: Place): AllowedInFolder {
  const allowed = usePermissions({ provider, bucket, prefix });
  const folder = useQuery(permissionsQuery({ provider, bucket, prefix: folderOf(prefix) }));
  const here = new Set<Action>(folder.data?.here);
  return {
    may: allowed.may,
    mayHere: (action) => here.has(action),
    pending: allowed.pending || folder.isPending,
    error: allowed.error ?? folder.error,
    retry: () => {
      allowed.retry();
      void folder.refetch();
    },
  };
}
