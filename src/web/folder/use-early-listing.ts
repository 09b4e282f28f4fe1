import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useMatch, useSearchParams } from 'react-router';
import { listingQuery } from '../api/queries.ts';

/**
 * Asks for the folder that the page was opened on while the session is still being checked, so that its rows come a round trip earlier. Nothing of it
 * is drawn for anybody who is not signed in.
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
    // The folder asks again when this failed, and tells why.
    client.infiniteQuery(listingQuery({ provider, bucket, prefix: search.get('prefix') ?? '' })).catch(() => undefined);
  }, [client, provider, bucket, search]);
}
