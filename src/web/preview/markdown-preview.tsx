import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ObjectRef } from '../actions/object-calls.ts';
import { t } from '../words/words.ts';
import './markdown.css';
import { drawn } from './markdown.ts';

/** A rendered Markdown text. */
export function MarkdownPreview({ text, object }: { text: string; object: ObjectRef }) {
  const { html, isWhole } = useMemo(() => drawn(text, object), [text, object]);
  return (
    <>
      <article className="svc-markdown" dangerouslySetInnerHTML={{ __html: html }} />
      {!isWhole && (
        <Text size="xs" c="dimmed" px="1.25rem" pb="1rem">
          {t('Only the beginning is shown, because the text is long. The source contains the rest.')}
        </Text>
      )}
    </>
  );
}
