import { useMemo, useState } from 'react';
import type { ObjectRef } from '../api/object-calls.ts';
import { basePath } from '../base.ts';
import { displayText } from '../preview/display-text.ts';
import type { RenderedMarkdown } from '../preview/markdown.ts';
import '../preview/markdown.css';
import { PreviewLoading } from '../preview/preview-states.tsx';
import { useRendered } from '../preview/use-rendered.ts';
import { t } from '../words/words.ts';

/** Markdown as it is written. The last result stays until the next one is there. */
export function LivePreview({ text, object }: { text: string; object: ObjectRef }) {
  const rendered = useRendered(useMemo(() => ({ text: displayText(text), object, home: basePath }), [text, object]));
  const [last, setLast] = useState<RenderedMarkdown | 'plain'>();
  if (rendered !== undefined && rendered !== last) setLast(rendered);
  const shown = rendered ?? last;
  if (shown === undefined) return <PreviewLoading />;
  if (shown === 'plain') return <p>{t('This text cannot be rendered here.')}</p>;
  return <article className="svc-markdown" dangerouslySetInnerHTML={{ __html: shown.html }} />;
}
