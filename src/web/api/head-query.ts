import { queryOptions } from '@tanstack/react-query';
import { apiErrorOf } from './api-error.ts';
import { headObject, refusalOf, type ObjectHead, type ObjectRef } from './object-calls.ts';

/** The query for the size, type, ETag and metadata of an object. */
export function headQuery({ provider, bucket, key }: ObjectRef) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({
    queryKey: ['head', object],
    queryFn: ({ signal }) => headObject(object, signal),
    staleTime: 30_000,
  });
}

/** The last answer, also after a failure that may pass, but not of an object that is gone or may not be read any more. */
export function readableHead({ data, error }: { readonly data: ObjectHead | undefined; readonly error: Error | null }) {
  return ['not_found', 'access_denied'].includes(apiErrorOf(error).code) ? undefined : data;
}

/** The query for how storage keeps one version. */
export function versionHeadQuery({ provider, bucket, key }: ObjectRef, version: string) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({
    queryKey: ['head', object, version],
    queryFn: ({ signal }) => headObject(object, signal, version),
    retry: false,
  });
}

/** The query for the reason why an object may not be read, because the answer to a HEAD request has no body. The result is null if the object can be read. */
export function refusalQuery({ provider, bucket, key }: ObjectRef) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({
    queryKey: ['refusal', object],
    queryFn: ({ signal }) => refusalOf(object, signal),
    retry: false,
  });
}
