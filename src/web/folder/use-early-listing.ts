import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useMatch, useSearchParams } from 'react-router';
import { listingQuery } from '../api/queries.ts';

/**
 * Requests the listing of the folder that the page was opened on while the session is still being checked, so that its rows arrive one round trip earlier.
 * The rows are only shown to a signed-in user.
 */
export function useEarlyListing(): void {
  const client = useQueryClient();
  const { provider, bucket } = useMatch('/p/:provider/:bucket')?.params ?? {};
  const [search] = useSearchParams();
  const isOpening = useRef(true);
  useEffect(() => {
    if (!isOpening.current) return;
    isOpening.current = false;
    if (provider === undefined || bucket === undefined) return;
    // The folder page repeats a failed request and shows the error.
    client.infiniteQuery(listingQuery({ provider, bucket, prefix: search.get('prefix') ?? '' })).catch(() => undefined);
  }, [client, provider, bucket, search]);
}
