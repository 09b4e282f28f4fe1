import { useQuery } from '@tanstack/react-query';
import type { Permissions } from '../../wire/permission.ts';
import { permissionsQuery, type PermissionScope } from '../api/queries.ts';

export type Action = Permissions['actions'][number];

export type Allowed = {
  /** Whether the service listed the action. Nothing is evaluated here; while the answer is awaited nothing is allowed. */
  readonly may: (action: Action) => boolean;
  /** Whether every one of them is listed. */
  readonly mayAll: (actions: readonly Action[]) => boolean;
  readonly pending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
};

/** What the caller may do in a place, as the service's permission endpoint lists it. */
export function usePermissions(scope: PermissionScope): Allowed {
  const { data, isPending, error, refetch } = useQuery(permissionsQuery(scope));
  const listed = new Set<Action>(data);
  return {
    may: (action) => listed.has(action),
    mayAll: (actions) => actions.every((action) => listed.has(action)),
    pending: isPending,
    error,
    retry: () => void refetch(),
  };
}
