import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Targets } from '../access/target.ts';
import type { Trail } from '../audit/trail.ts';
import { abortUpload, completeUpload, listParts, startUpload } from '../storage/multipart.ts';
import type { Storage } from '../storage/storage.ts';
import type { RpcMethods } from './method.ts';

/** Uploads in parts. Each method asks to write the object; the parts themselves travel with tickets of `transfer/create`. */
export function uploadMethods(storage: Storage, targets: Targets): RpcMethods {
  const writable = (caller: Caller, { provider, bucket, key }: { readonly provider: string; readonly bucket: string; readonly key: string }, trail: Trail) =>
    authorize(caller, [{ action: 'objects:write', resource: targets.object(provider, bucket, key) }], trail)[0];
  return {
    'upload/create': {
      call: async ({ contentType, ...object }, { caller, trail, signal }) => {
        const target = writable(caller, object, trail);
        return startUpload(storage.provider(target.provider), target, { contentType, signal });
      },
    },
    'upload/get': {
      call: async ({ id, ...object }, { caller, trail, signal }) => {
        const target = writable(caller, object, trail);
        return { parts: await listParts(storage.provider(target.provider), { ...target, id }, { signal }) };
      },
    },
    'upload/complete': {
      call: async ({ id, parts, ...object }, { caller, trail, signal }) => {
        const target = writable(caller, object, trail);
        return completeUpload(storage.provider(target.provider), { ...target, id }, parts, { signal });
      },
    },
    'upload/abort': {
      call: async ({ id, ...object }, { caller, trail, signal }) => {
        const target = writable(caller, object, trail);
        await abortUpload(storage.provider(target.provider), { ...target, id }, { signal });
        return {};
      },
    },
  };
}
