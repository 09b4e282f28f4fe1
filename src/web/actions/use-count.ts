import { withRetries } from '../../transfer/retry.ts';
import { countBeneath, NOTHING, type Count } from './count-beneath.ts';
import type { BucketRef } from '../api/object-calls.ts';
import { useGrowing, type Growing } from './use-growing.ts';

const RETRIES = 2;

/** Counts the objects beneath prefixes while the component is shown. */
export function useCount(
  bucket: BucketRef,
  prefixes: readonly string[],
): Growing<Count> & { readonly stop: () => void } {
  return useGrowing({ value: NOTHING, state: prefixes.length === 0 ? 'counted' : 'counting' }, (signal) =>
    countBeneath(bucket, prefixes, {
      signal,
      attempt: (request) => withRetries(request, { retries: RETRIES, signal }),
    }),
  );
}
