import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { FileEntry } from '../objects/entry.ts';
import type { BucketRef } from '../api/object-calls.ts';
import { hasThumbnail, thumbnailQuery } from './thumbnail-query.ts';

/** The thumbnail of an object, or `instead` until it is loaded. Its alternative text is empty, because the name is beside it. */
export function Thumbnail({ place, file, instead }: { place: BucketRef; file: FileEntry; instead: ReactNode }) {
  const { data } = useQuery({ ...thumbnailQuery(place, file), enabled: hasThumbnail(file) });
  const url = useBlobUrl(data);
  return url === undefined ? instead : <img src={url} alt="" draggable={false} />;
}

/** An object URL of a blob, which is revoked when the blob is no longer used. */
export function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [shown, setShown] = useState<{ readonly blob: Blob; readonly url: string }>();
  useEffect(() => {
    if (blob === undefined) return undefined;
    const url = URL.createObjectURL(blob);
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the URL has to be revoked, which only an effect can do
    setShown({ blob, url });
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return shown !== undefined && shown.blob === blob ? shown.url : undefined;
}
