import { useMemo } from 'react';
import type { ObjectRef } from '../actions/object-calls.ts';
import './markdown.css';
import { htmlOf } from './markdown.ts';

/** A Markdown text as it is meant to be read. */
export function MarkdownPreview({ text, object }: { text: string; object: ObjectRef }) {
  const html = useMemo(() => htmlOf(text, object), [text, object]);
  return <article className="svc-markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
