import { Button, Center, Group, Loader } from '@mantine/core';
import { IconAdjustments, IconEdit, IconMaximize } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { headQuery, readableHead } from '../api/head-query.ts';
import { Activity } from '../activity/activity.tsx';
import type { ObjectRef } from '../api/object-calls.ts';
import { isMissing } from '../api/api-error.ts';
import { listingQuery } from '../api/queries.ts';
import { archiveState } from '../api/keeping.ts';
import { MOST_EDITABLE_BYTES } from '../objects/editable.ts';
import { folderOf, type Place } from '../place/place.ts';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import type { MayAll } from '../versions/may-all.ts';
import { Versions, type Compare } from '../versions/versions.tsx';
import classes from './details.module.css';
import { Failure } from './failure.tsx';
import { Metadata } from './metadata.tsx';
import { previewKindOf } from './preview-kind.ts';
import { Preview } from './preview.tsx';
import { Unarchive } from './unarchive.tsx';

/** The metadata and the preview of an object in the details panel. Its code is loaded when it is first shown. */
export function Details({
  place,
  objectKey,
  onFull,
  onEdit,
  onProperties,
  onCompare,
  mayAll,
}: {
  place: Place;
  objectKey: string;
  onFull: () => void;
  /** Undefined if the object cannot be edited as text. */
  onEdit: (() => void) | undefined;
  /** Undefined if the properties of the object cannot be changed. */
  onProperties: (() => void) | undefined;
  /** Shows a version of the object beside the current one. */
  onCompare: Compare;
  /** Whether the user may do all of this to the object. */
  mayAll: MayAll;
}) {
  const object: ObjectRef = { provider: place.provider, bucket: place.bucket, key: objectKey };
  // The panel has sent this request already, so do not repeat a failed one.
  const head = useQuery({ ...headQuery(object), retryOnMount: false });
  const { hasAudit } = useAccount();
  const listed = useListed(place, objectKey);
  const data = readableHead(head);
  const archive = data && archiveState(data.keeping);
  const isReadable = data !== undefined && archive === undefined;
  const retry = () => void head.refetch();
  return (
    <div className={classes.details}>
      {head.isPending && (
        <Center h={160}>
          <Loader size="sm" role="status" aria-label={t('Loading details')} />
        </Center>
      )}
      {head.error && <Failure object={object} error={head.error} onRetry={retry} />}
      {data && (
        <div>
          <Preview key={data.etag} object={object} head={data} />
          {archive === 'archived' && mayAll(['objects:restore']) && <Unarchive object={object} />}
          <Group gap="xs" mt="xs">
            {isReadable && data.size > 0 && previewKindOf(objectKey, data.type) !== undefined && (
              <Button size="compact-sm" variant="subtle" leftSection={<IconMaximize size={16} />} onClick={onFull}>
                {t('Open full screen')}
              </Button>
            )}
            {isReadable && onEdit !== undefined && data.size <= MOST_EDITABLE_BYTES && (
              <Button size="compact-sm" variant="subtle" leftSection={<IconEdit size={16} />} onClick={onEdit}>
                {t('Edit')}
              </Button>
            )}
          </Group>
        </div>
      )}
      {!isMissing(head.error) && (data ?? listed) && <Metadata object={object} head={data} listed={listed} />}
      {data && onProperties !== undefined && (
        <Button
          size="compact-sm"
          variant="subtle"
          w="fit-content"
          leftSection={<IconAdjustments size={16} />}
          onClick={onProperties}
        >
          {t('Edit properties')}
        </Button>
      )}
      {mayAll(['objects:versions']) && (data ?? head.error) && (
        <Versions
          key={`versions of ${object.bucket}/${objectKey}`}
          object={object}
          mayAll={mayAll}
          onCompare={onCompare}
        />
      )}
      {data && hasAudit && <Activity key={`${object.bucket}/${objectKey}`} object={object} />}
    </div>
  );
}

/** The object's entry in the loaded listing, which is available even if the user may not read the object. */
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
