import { Center, Loader } from '@mantine/core';
import { IconFileOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { headQuery } from '../actions/head-query.ts';
import type { ObjectRef } from '../actions/object-calls.ts';
import { apiErrorOf, isMissing } from '../api/api-error.ts';
import { listingQuery } from '../api/queries.ts';
import { folderOf, type Place } from '../place/place.ts';
import { DeniedState, EmptyState, ErrorState, Retry } from '../shell/states.tsx';
import classes from './details.module.css';
import { Metadata } from './metadata.tsx';
import { Preview } from './preview.tsx';

/** What the details panel shows of one object: metadata and a preview. Loaded when it is first needed. */
export function Details({ place, objectKey }: { place: Place; objectKey: string }) {
  const object: ObjectRef = { provider: place.provider, bucket: place.bucket, key: objectKey };
  const head = useQuery(headQuery(object));
  const listed = useListed(place, objectKey);
  const retry = () => void head.refetch();
  return (
    <div className={classes.details}>
      {head.isPending && (
        <Center h={160}>
          <Loader size="sm" role="status" aria-label="Loading details" />
        </Center>
      )}
      {head.error && <Failure error={head.error} onRetry={retry} />}
      {head.data && <Preview object={object} head={head.data} />}
      {!isMissing(head.error) && (head.data ?? listed) && <Metadata object={object} head={head.data} listed={listed} />}
    </div>
  );
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (apiErrorOf(error).code === 'access_denied') return <DeniedState action="objects:get" onRetry={onRetry} />;
  if (!isMissing(error)) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState icon={IconFileOff} title="There is no such file" live="assertive" action={<Retry onClick={onRetry} />}>
      It may have been moved or deleted meanwhile.
    </EmptyState>
  );
}

/** What the folder's listing says of the object: it may be listed where it may not be read. */
function useListed(place: Place, key: string) {
  const client = useQueryClient();
  for (const prefix of new Set([place.prefix, folderOf(place.prefix)])) {
    const pages = client.getQueryData(listingQuery({ ...place, prefix }).queryKey)?.pages ?? [];
    for (const page of pages) {
      const found = page.objects.find((object) => object.key === key);
      if (found) return found;
    }
  }
  return undefined;
}
