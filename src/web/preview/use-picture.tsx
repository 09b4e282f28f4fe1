import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { t } from '../words/words.ts';
import { Failure } from './failure.tsx';
import { AskFirst, TooLarge } from './preview-states.tsx';
import { MOST_PICTURE_BYTES, pictureQuery, type Picture } from './picture-query.ts';
import { useBlobUrl } from './thumbnail.tsx';

/** The browser takes long to draw a larger picture, and much memory, although its file may be small. The service makes no thumbnail of one either. */
const MOST_PIXELS = 50_000_000;

/**
 * Loads a picture, and finds out whether the page can draw it.
 *
 * @returns `url` to draw it from, or what to show `instead`; neither while it is loading.
 */
export function usePicture(
  object: ObjectRef,
  head: ObjectHead,
): { readonly url?: string | undefined; readonly instead?: ReactElement } {
  const isSmall = head.size <= MOST_PICTURE_BYTES;
  const { data, error, refetch } = useQuery({ ...pictureQuery(object, head), enabled: isSmall });
  const [asked, setAsked] = useState<Picture>();
  const url = useBlobUrl(data?.bytes);
  if (!isSmall || data === null) return { instead: <TooLarge most={MOST_PICTURE_BYTES} /> };
  if (error) return { instead: <Failure object={object} error={error} onRetry={() => void refetch()} /> };
  if (data === undefined || (data.pixels ?? Infinity) <= MOST_PIXELS || asked === data) return { url };
  return {
    instead: (
      <AskFirst ask={t('Draw picture')} onYes={() => setAsked(data)}>
        {data.pixels === undefined
          ? t('This picture may have very many frames or passes. The page may stand still while it is drawn.')
          : t('This picture has {count} million pixels. The page may stand still while it is drawn.', {
              count: Math.round(data.pixels / 1_000_000),
            })}
      </AskFirst>
    ),
  };
}
