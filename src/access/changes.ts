import type { Trail } from '../audit/trail.ts';
import type { Caller } from './caller.ts';
import { ask } from './authorize.ts';
import type { Targets } from './target.ts';
import type { AtomicAction } from '../policy/action.ts';
import type { Permitted } from '../policy/permitted.ts';
import type { ObjectResource } from '../policy/resource.ts';

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

/** The questions of a presigned link: to share the object, and to read or write it as the link does. */
export function presignAsks(targets: Targets, object: { readonly provider: string; readonly bucket: string; readonly key: string }, method: 'GET' | 'PUT') {
  const resource = targets.object(object.provider, object.bucket, object.key);
  return [
    { action: 'objects:presign', resource },
    { action: method === 'GET' ? 'objects:get' : 'objects:write', resource },
  ] as const;
}

/**
 * Separates the keys that policy allows from those that it denies. A key that is named twice is asked about once.
 *
 * @throws {SvcError} `invalid_request` for a name that no request may use.
 */
export function partKeys(targets: Targets, caller: Caller, action: AtomicAction, place: { readonly provider: string; readonly bucket: string }, keys: readonly string[], trail: Trail) {
  const allowed: Permitted<ObjectResource>[] = [];
  const denied: { key: string; code: string }[] = [];
  for (const key of new Set(keys)) {
    const resource = targets.object(place.provider, place.bucket, key);
    if (ask(caller, { action, resource }, trail).allowed) allowed.push(resource as Permitted<ObjectResource>);
    else denied.push({ key, code: 'access_denied' });
  }
  return { allowed, denied };
}
