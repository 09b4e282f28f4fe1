import { queryOptions } from '@tanstack/react-query';
import { headObject, refusalOf, type ObjectRef } from './object-calls.ts';

/** What storage says of one object. */
export function headQuery({ provider, bucket, key }: ObjectRef) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({ queryKey: ['head', object], queryFn: ({ signal }) => headObject(object, signal), staleTime: 30_000 });
}

/** Why an object may not be read: an answer to HEAD has no room for it. Null where it may be read meanwhile. */
export function refusalQuery({ provider, bucket, key }: ObjectRef) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({ queryKey: ['refusal', object], queryFn: ({ signal }) => refusalOf(object, signal), retry: false });
}
