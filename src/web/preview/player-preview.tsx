import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { t } from '../words/words.ts';
import { Failure } from './failure.tsx';
import { indexLength } from './media-index.ts';
import { MediaPreview } from './media-preview.tsx';
import { rangeReader } from './object-bytes.ts';
import { AskFirst, PreviewLoading } from './preview-states.tsx';

/** The browser keeps some 36 bytes of each entry. A film of ten hours has three million. The names in a WAV are shorter than a thousand bytes. */
const MOST_ENTRIES = 10_000_000;

/** Audio and video, on request where the browser would need much memory, which a small file can make it do. */
export function PlayerPreview({
  kind,
  object,
  head: { size, etag },
}: {
  kind: 'video' | 'audio';
  object: ObjectRef;
  head: ObjectHead;
}) {
  const { data, error, refetch } = useQuery({
    queryKey: ['media-index', object, size, etag],
    queryFn: ({ signal, client }) => indexLength(rangeReader(object, { etag, signal, client }), size),
    staleTime: Infinity,
    gcTime: 0,
  });
  const [asked, setAsked] = useState<string>();
  if (error) return <Failure object={object} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PreviewLoading />;
  if (data <= MOST_ENTRIES || asked === etag) return <MediaPreview kind={kind} object={object} />;
  return (
    <AskFirst ask={t('Load file')} onYes={() => setAsked(etag)}>
      {t('This file may have very many parts. The page may need much memory to play it.')}
    </AskFirst>
  );
}
