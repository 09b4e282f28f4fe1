import { Suspense } from 'react';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { archivedText } from '../api/keeping.ts';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { t } from '../words/words.ts';
import classes from './details.module.css';
import { MediaPreview } from './media-preview.tsx';
import { NoPreview, PreviewLoading } from './preview-states.tsx';
import { PdfPreview } from './pdf-preview.tsx';
import { PlayerPreview } from './player-preview.tsx';
import { previewKindOf, type PreviewKind } from './preview-kind.ts';
import { usePicture } from './use-picture.tsx';

const TextPreview = lazyPart(() => import('./text-preview.tsx').then((module) => module.TextPreview));
const SvgPreview = lazyPart(() => import('./svg-preview.tsx').then((module) => module.SvgPreview));
const CsvPreview = lazyPart(() => import('./csv-preview.tsx').then((module) => module.CsvPreview));
const ZipPreview = lazyPart(() => import('./zip-preview.tsx').then((module) => module.ZipPreview));
const ParquetPreview = lazyPart(() => import('./parquet-preview.tsx').then((module) => module.ParquetPreview));

const READ_IN_PARTS: readonly PreviewKind[] = ['video', 'audio', 'zip', 'parquet'];

/** The preview of an object, if one is possible. It never runs scripts of the object. */
export function Preview({ object, head }: { object: ObjectRef; head: ObjectHead }) {
  const archived = archivedText(head.keeping);
  if (archived !== undefined) return <NoPreview>{archived}</NoPreview>;
  const kind = previewKindOf(object.key, head.type);
  if (kind === undefined)
    return <NoPreview>{t('There is no preview for this type of file. Download it to open it.')}</NoPreview>;
  if (head.size === 0) return <NoPreview>{t('This file is empty.')}</NoPreview>;
  if (head.isCompressed && READ_IN_PARTS.includes(kind))
    return <NoPreview>{t('This file is stored compressed. Download it to open it.')}</NoPreview>;
  return (
    <section aria-label={t('Preview')} className={classes.frame}>
      <Boundary what="preview">
        <Suspense fallback={<PreviewLoading />}>
          <PreviewOf kind={kind} object={object} head={head} />
        </Suspense>
      </Boundary>
    </section>
  );
}

function PreviewOf({ kind, object, head }: { kind: PreviewKind; object: ObjectRef; head: ObjectHead }) {
  switch (kind) {
    case 'svg':
      return <SvgPreview object={object} head={head} />;
    case 'image':
      return <PicturePreview object={object} head={head} />;
    case 'video':
    case 'audio':
      return <PlayerPreview kind={kind} object={object} head={head} />;
    case 'pdf':
      return <PdfPreview object={object} size={head.size} />;
    case 'csv':
      return <CsvPreview object={object} head={head} />;
    case 'zip':
      return <ZipPreview object={object} head={head} />;
    case 'parquet':
      return <ParquetPreview object={object} head={head} />;
    case 'text':
      return <TextPreview object={object} head={head} />;
  }
}

function PicturePreview({ object, head }: { object: ObjectRef; head: ObjectHead }) {
  const { url, instead } = usePicture(object, head);
  if (instead !== undefined) return instead;
  return url === undefined ? <PreviewLoading /> : <MediaPreview kind="image" object={object} url={url} />;
}
