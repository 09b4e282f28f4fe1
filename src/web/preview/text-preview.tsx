import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { formatBytes } from '../../transfer/byte-size.ts';
import type { ObjectRef } from '../actions/object-calls.ts';
import { endingOf } from '../../wire/kind.ts';
import { kindOf } from '../objects/kind.ts';
import { visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { decodeText } from './decode-text.ts';
import classes from './details.module.css';
import './highlight.css';
import { highlight } from './highlight.ts';
import { readHead } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';

const MOST_BYTES = 512_000;

/** Text and code as text, coloured where the language is known. HTML too is shown as its source. */
export function TextPreview({ object, size }: { object: ObjectRef; size: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-text', object],
    queryFn: async ({ signal }) => {
      const { bytes, isCut } = await readHead(object, size, MOST_BYTES, signal);
      return { text: decodeText(bytes, isCut), isCut };
    },
    gcTime: 0,
  });
  const html = useHighlighted(data?.text, object.key);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  if (data.text === undefined) return <NoPreview>This file holds no text. Download it to open it.</NoPreview>;
  const isCode = kindOf(object.key).kind === 'code';
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={`Content of ${visibleText(baseName(object.key))}`}>
        {html === undefined ? (
          <pre className={classes.text} data-code={isCode || undefined}>
            {data.text}
          </pre>
        ) : (
          <pre className={classes.text} data-code={isCode || undefined} dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </div>
      {data.isCut && (
        <Text size="xs" c="dimmed" className={classes.note}>
          The first {formatBytes(MOST_BYTES)} of {formatBytes(size)}. Download the file to read all of it.
        </Text>
      )}
    </>
  );
}

function useHighlighted(text: string | undefined, key: string): string | undefined {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    if (text !== undefined) {
      const ending = endingOf(key) || baseName(key).toLowerCase();
      highlight(text, ending).then(
        (result) => {
          if (isCurrent) setHtml(result);
        },
        // The colours could not be loaded; the text is shown without them.
        () => undefined,
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [text, key]);
  return html;
}
