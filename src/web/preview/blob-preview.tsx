import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ObjectRef } from '../actions/object-calls.ts';
import { formatBytes } from '../format/format.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import classes from './details.module.css';
import { readBlob } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';

const MOST_BYTES = { pdf: 50_000_000, svg: 5_000_000 };
const TYPES = { pdf: 'application/pdf', svg: 'image/svg+xml' } as const;

/**
 * PDF in the browser's own viewer, and SVG as a picture, from blobs.
 *
 * The guarded route answers them with a sandbox, in which no viewer works. Neither runs anything here: the viewer is not a page of
 * this origin, and scripts of an SVG are dead in an `img`.
 */
export function BlobPreview({ kind, object, size }: { kind: 'pdf' | 'svg'; object: ObjectRef; size: number }) {
  const most = MOST_BYTES[kind];
  const isSmall = size <= most;
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-blob', object, kind],
    queryFn: ({ signal }) => readBlob(object, TYPES[kind], signal),
    enabled: isSmall,
    staleTime: Infinity,
    gcTime: 0,
  });
  const show = useCallback(
    (element: HTMLIFrameElement | HTMLImageElement | null) => {
      if (!element || !data) return undefined;
      const url = URL.createObjectURL(data);
      element.src = url;
      return () => {
        URL.revokeObjectURL(url);
      };
    },
    [data],
  );
  const name = baseName(object.key);
  if (!isSmall) return <NoPreview>{`Previews of this type end at ${formatBytes(most)}. Download the file to open it.`}</NoPreview>;
  if (kind === 'pdf' && !navigator.pdfViewerEnabled) return <NoPreview>This browser has no PDF viewer. Download the file to open it.</NoPreview>;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  return kind === 'pdf' ? <iframe ref={show} title={`Preview of ${name}`} /> : <img ref={show} className={classes.checkers} alt={name} />;
}
