import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { FileEntry } from '../objects/entry.ts';
import type { BucketRef } from '../actions/object-calls.ts';
import { hasThumbnail, thumbnailQuery } from './thumbnail-query.ts';

/** A small version of a picture, as soon as it is there. It says nothing to those who cannot see it: the name stands beside it. */
export function Thumbnail({ place, file, instead }: { place: BucketRef; file: FileEntry; instead: ReactNode }) {
  const { data } = useQuery({ ...thumbnailQuery(place, file), enabled: hasThumbnail(file) });
  const url = useBlobUrl(data);
  return url === undefined ? instead : <img src={url} alt="" draggable={false} />;
}

/** An address of bytes in memory, as long as they are shown. */
export function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [shown, setShown] = useState<{ readonly blob: Blob; readonly url: string }>();
  useEffect(() => {
    if (blob === undefined) return undefined;
    const url = URL.createObjectURL(blob);
    // eslint-disable-next-line react-hooks/set-state-in-effect -- an address must be given back, and only effects end
    setShown({ blob, url });
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return shown !== undefined && shown.blob === blob ? shown.url : undefined;
}
