import { Text } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import type { ObjectRef } from '../api/object-calls.ts';
import { basePath } from '../base.ts';
import { t } from '../words/words.ts';
import './markdown.css';
import { PreviewLoading } from './preview-states.tsx';
import { useRendered } from './use-rendered.ts';

/** A rendered Markdown text. @param source - shown in place of a text that takes too long to render. */
export function MarkdownPreview({ text, object, source }: { text: string; object: ObjectRef; source: ReactNode }) {
  const rendered = useRendered(useMemo(() => ({ text, object, home: basePath }), [text, object]));
  if (rendered === undefined) return <PreviewLoading />;
  if (rendered === 'plain') {
    return (
      <>
        <Note>{t('This text cannot be rendered here, so its source is shown.')}</Note>
        {source}
      </>
    );
  }
  return (
    <>
      <article className="svc-markdown" dangerouslySetInnerHTML={{ __html: rendered.html }} />
      {!rendered.isWhole && (
        <Note>{t('Only the beginning is shown, because the text is long. The source contains the rest.')}</Note>
      )}
    </>
  );
}

function Note({ children }: { children: string }) {
  return (
    <Text size="xs" c="dimmed" px="1.25rem" py="xs" role="status">
      {children}
    </Text>
  );
}
