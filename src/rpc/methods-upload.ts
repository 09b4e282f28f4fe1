import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Targets } from '../access/target.ts';
import { abortUpload, completeUpload, listParts, startUpload } from '../storage/multipart.ts';
import type { Storage } from '../storage/storage.ts';
import type { RpcMethods } from './method.ts';

/** Uploads in parts. Each method asks to write the object; the parts themselves travel with tickets of `transfer/create`. */
export function uploadMethods(storage: Storage, targets: Targets): RpcMethods {
  const writable = (caller: Caller, { provider, bucket, key }: { readonly provider: string; readonly bucket: string; readonly key: string }) => {
    const target = targets.object(provider, bucket, key);
    authorize(caller, 'objects:write', target);
    return target;
  };
  const change = { changes: true } as const;
  return {
    'upload/create': {
      ...change,
      call: async ({ contentType, ...object }, { caller, signal }) => {
        const target = writable(caller, object);
        return startUpload(storage.provider(target.provider), target, { contentType, signal });
      },
    },
    'upload/get': {
      call: async ({ id, ...object }, { caller, signal }) => {
        const target = writable(caller, object);
        return { parts: await listParts(storage.provider(target.provider), { ...target, id }, { signal }) };
      },
    },
    'upload/complete': {
      ...change,
      call: async ({ id, ...object }, { caller, signal }) => {
        const target = writable(caller, object);
        return completeUpload(storage.provider(target.provider), { ...target, id }, { signal });
      },
    },
    'upload/abort': {
      ...change,
      call: async ({ id, ...object }, { caller, signal }) => {
        const target = writable(caller, object);
        await abortUpload(storage.provider(target.provider), { ...target, id }, { signal });
        return {};
      },
    },
  };
}
