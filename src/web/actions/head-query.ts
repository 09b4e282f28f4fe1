import { queryOptions } from '@tanstack/react-query';
import { headObject, type ObjectRef } from './object-calls.ts';

/** What storage says of one object. */
export function headQuery({ provider, bucket, key }: ObjectRef) {
  const object: ObjectRef = { provider, bucket, key };
  return queryOptions({ queryKey: ['head', object], queryFn: ({ signal }) => headObject(object, signal), staleTime: 30_000 });
}
