import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ObjectRef } from '../api/object-calls.ts';
import { visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { readWhole } from './object-bytes.ts';
import { NoPreview, PreviewLoading, TooLarge } from './preview-states.tsx';

const MOST_BYTES = 50_000_000;

/**
 * A PDF in the browser's own viewer, from a blob.
 *
 * The guarded route cannot be used directly, because its answers have a sandbox in which the viewer does not work. The blob runs no scripts in this origin, because
 * the viewer is not a page of it.
 */
export function PdfPreview({ object, size }: { object: ObjectRef; size: number }) {
  const isSmall = size <= MOST_BYTES;
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-pdf', object],
    queryFn: ({ signal }) => readWhole(object, { most: MOST_BYTES, type: 'application/pdf' }, signal),
    enabled: isSmall,
    staleTime: Infinity,
    gcTime: 0,
  });
  const show = useCallback(
    (element: HTMLIFrameElement | null) => {
      if (!element || !data) return undefined;
      const url = URL.createObjectURL(data);
      element.src = url;
      return () => {
        URL.revokeObjectURL(url);
      };
    },
    [data],
  );
  if (!isSmall || data === null) return <TooLarge most={MOST_BYTES} />;
  if (!navigator.pdfViewerEnabled)
    return <NoPreview>{t('This browser has no PDF viewer. Download the file to open it.')}</NoPreview>;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  return <iframe ref={show} title={t('Preview of {key}', { key: visibleText(baseName(object.key)) })} />;
}
