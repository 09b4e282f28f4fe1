import { Button, Checkbox, CopyButton, Group, SegmentedControl, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { formatBytes } from '../../transfer/byte-size.ts';
import type { ObjectRef } from '../actions/object-calls.ts';
import { endingOf } from '../../wire/kind.ts';
import { kindOf } from '../objects/kind.ts';
import { visibleText } from '../names/visible.ts';
import { lazyPart } from '../parts/part.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { decodeText } from './decode-text.ts';
import classes from './details.module.css';
import './highlight.css';
import { highlight } from './highlight.ts';
import { readHead } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';

const MarkdownPreview = lazyPart(() => import('./markdown-preview.tsx').then((module) => module.MarkdownPreview));

type View = 'rendered' | 'source';
const VIEWS: { value: View; label: string }[] = [
  { value: 'rendered', label: t('Rendered') },
  { value: 'source', label: t('Source') },
];

const FIRST_BYTES = 512_000;
/** Longer texts would take too long to render. */
const MOST_BYTES = 8_192_000;

/** Text, with highlighting for known languages. Markdown is rendered; HTML is shown as its source. */
export function TextPreview({ object, size }: { object: ObjectRef; size: number }) {
  const [most, setMost] = useState(FIRST_BYTES);
  const [view, setView] = useState<View>('rendered');
  const kind = kindOf(object.key).kind;
  const [isWrapped, setWrapped] = useState(kind !== 'code');
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['preview-text', object, most],
    queryFn: async ({ signal }) => {
      const { bytes, isCut } = await readHead(object, size, most, signal);
      return { text: decodeText(bytes, isCut), isCut };
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  const { text, isCut } = data;
  if (text === undefined) return <NoPreview>{t('This is not a text file. Download it to open it.')}</NoPreview>;
  const isMarkdown = ['md', 'markdown'].includes(endingOf(object.key));
  const isRendered = isMarkdown && view === 'rendered';
  return (
    <>
      <Group gap="xs" className={classes.tools}>
        {isMarkdown && <SegmentedControl size="xs" aria-label={t('View')} data={VIEWS} value={view} onChange={(value) => setView(value)} />}
        {!isRendered && <Checkbox size="xs" label={t('Wrap lines')} checked={isWrapped} onChange={(event) => setWrapped(event.currentTarget.checked)} />}
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="subtle" color="gray" ml="auto" onClick={copy}>
              {copied ? t('Copied') : t('Copy text')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={t('Content of {key}', { key: visibleText(baseName(object.key)) })}>
        {isRendered ? (
          <Suspense fallback={<PreviewLoading />}>
            <MarkdownPreview text={text} object={object} />
          </Suspense>
        ) : (
          <Source text={text} objectKey={object.key} isWrapped={isWrapped} />
        )}
      </div>
      {isCut && (
        <Group gap="xs" className={classes.note}>
          <Text size="xs" c="dimmed">
            {t('The first {part} of {size}.', { part: formatBytes(most), size: formatBytes(size) })}
            {most >= MOST_BYTES && ` ${t('Download the file to read all of it.')}`}
          </Text>
          {most < MOST_BYTES && (
            <Button size="compact-xs" variant="subtle" loading={isFetching} onClick={() => setMost(most * 4)}>
              {t('Show more')}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}

/** The source text, with line numbers if the lines are not wrapped. */
function Source({ text, objectKey, isWrapped }: { text: string; objectKey: string; isWrapped: boolean }) {
  const html = useHighlighted(text, objectKey);
  const lines = useMemo(() => text.split('\n').length - (text.endsWith('\n') ? 1 : 0), [text]);
  return (
    <div className={classes.source}>
      {!isWrapped && (
        <pre className={classes.numbers} aria-hidden>
          {Array.from({ length: lines }, (_, index) => index + 1).join('\n')}
        </pre>
      )}
      {html === undefined ? (
        <pre className={classes.text} data-code={!isWrapped || undefined}>
          {text}
        </pre>
      ) : (
        <pre className={classes.text} data-code={!isWrapped || undefined} dangerouslySetInnerHTML={{ __html: html }} />
      )}
    </div>
  );
}

function useHighlighted(text: string, key: string): string | undefined {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    highlight(text, endingOf(key) || baseName(key).toLowerCase()).then(
      (result) => {
        if (isCurrent) setHtml(result);
      },
      // If the highlighter cannot be loaded, the text stays without highlighting.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [text, key]);
  return html;
}
