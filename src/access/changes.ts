import type { Trail } from '../audit/trail.ts';
import type { Caller } from './caller.ts';
import { ask } from './authorize.ts';
import type { Targets } from './target.ts';
import type { AtomicAction } from '../policy/model/action.ts';
import type { Permitted } from '../policy/model/permitted.ts';

/** The questions of a copy: to read the source, to write the target, and for a move to delete the source. */
export function copyAsks(
  targets: Targets,
  from: { readonly provider: string; readonly bucket: string; readonly key: string },
  to: { readonly provider?: string; readonly bucket?: string; readonly key: string },
  move: boolean,
) {
  const source = targets.object(from.provider, from.bucket, from.key);
  const target = targets.object(to.provider ?? from.provider, to.bucket ?? from.bucket, to.key);
  const asks = [
    { action: 'objects:get', resource: source },
    { action: 'objects:write', resource: target },
  ] as const;
  return move ? ([...asks, { action: 'objects:delete', resource: source }] as const) : asks;
}

/** The questions of a read: to read the object, and to see its versions when the read names one. */
export function readAsks(
  targets: Targets,
  object: { readonly provider: string; readonly bucket: string; readonly key: string },
  version: string | undefined,
) {
  const resource = targets.object(object.provider, object.bucket, object.key);
  const asks = [{ action: 'objects:get', resource }] as const;
  return version === undefined ? asks : ([...asks, { action: 'objects:versions', resource }] as const);
}

/** The questions of a presigned link: to share the object, and to read or write it as the link does. */
export function presignAsks(
  targets: Targets,
  object: { readonly provider: string; readonly bucket: string; readonly key: string },
  method: 'GET' | 'PUT',
) {
  const resource = targets.object(object.provider, object.bucket, object.key);
  return [
    { action: 'objects:presign', resource },
    { action: method === 'GET' ? 'objects:get' : 'objects:write', resource },
  ] as const;
}

/**
 * Separates the keys that policy allows from those that it denies. A key that is named twice is asked about once.
 *
 * @returns `allowed` is undefined when policy allows none.
 * @throws {SvcError} `invalid_request` for a name that no request may use.
 */
export function splitByPermission(
  targets: Targets,
  caller: Caller,
  action: AtomicAction,
  place: { readonly provider: string; readonly bucket: string },
  keys: readonly string[],
  trail: Trail,
) {
  const allowed: string[] = [];
  const denied: { key: string; code: string }[] = [];
  for (const key of new Set(keys)) {
    const resource = targets.object(place.provider, place.bucket, key);
    if (ask(caller, { action, resource }, trail).allowed) allowed.push(key);
    else denied.push({ key, code: 'access_denied' });
  }
  const { provider, bucket } = place;
  const objects = { provider, bucket, keys: allowed } as unknown as Permitted<{
    provider: string;
    bucket: string;
    keys: string[];
  }>;
  return { allowed: allowed.length === 0 ? undefined : objects, denied };
}
