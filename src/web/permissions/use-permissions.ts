import { useQuery } from '@tanstack/react-query';
import type { Permissions } from '../../wire/permission.ts';
import { permissionsQuery, type PermissionScope } from '../api/queries.ts';
import { folderOf, type Place } from '../place/place.ts';

export type Action = Permissions['actions'][number];

/** The state of a permission request. */
export type Asking = {
  readonly pending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
};

export type Allowed = Asking & {
  /** Whether the service allows the action anywhere in the place. The UI does not evaluate policies. It is false while the answer is pending. */
  readonly may: (action: Action) => boolean;
};

/** The permissions in a folder. `may` is about anywhere in it; `mayHere` is about a new object directly in it. */
export type AllowedInFolder = Allowed & { readonly mayHere: (action: Action) => boolean };

/** The actions that the user may do anywhere in a place, as the service lists them. */
export function usePermissions(scope: PermissionScope): Allowed {
  const { data, isPending, error, refetch } = useQuery(permissionsQuery(scope));
  const listed = new Set<Action>(data?.actions);
  return { may: (action) => listed.has(action), pending: isPending, error, retry: () => void refetch() };
}

/** The permissions in a folder. If the prefix ends with the beginning of a name, `mayHere` is about the folder that contains these names. */
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
